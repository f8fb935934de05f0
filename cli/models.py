"""vouch models: the registry of learned models, and which of them serve."""

import getpass
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli import completion, model_check
from cli.activity import waiting
from cli.help import command_group
from cli.model_lines import role, say_model
from cli.output import Json, emit, moment, say
from cli.table import table
from vouch.errors import Usage

app = command_group("List, inspect, compare, add, shadow, promote, roll back and retire learned models.")
Name = Annotated[str, typer.Argument(help="Name of a model.", autocompletion=completion.models)]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who does it; else the user of this machine.")]


class Kind(StrEnum):
    fusion = "fusion"
    evaluator = "evaluator"


@app.command("list", epilog="Example: vouch models list --kind fusion")
def list_models(
    kind: Annotated[Kind | None, typer.Option(help="Of one kind only.")] = None, as_json: Json = False
) -> None:
    """List all models, oldest first, and say which serve."""
    from cli.wiring.models import open_models

    service = open_models()
    rows = service.rows(kind.value if kind else None)
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["name", "kind", "state", "made", "serves", "reason"],
          [(r["name"], r["kind"], r["state"], moment(r["made_at"]), role(r), r["reason"]) for r in rows],
          empty="there are no models; vouch models add FILE registers one")
    for each, file in service.files.items():
        if file:
            say(f"the settings name {file} as {each}, whatever is promoted; vouch doctor tells if it can serve")


@app.command(epilog="Example: vouch models show fusion-20261123-1a2b3c4d")
def show(name: Name, as_json: Json = False) -> None:
    """Show a model: what it weighs, its figures, its moves, and what was seen while it shadows."""
    with waiting(f"comparing what {name} would have ranked"):
        from cli.wiring.models import open_models

        row = open_models().show(name)
    if as_json:
        emit(row)
        return
    say_model(row)


@app.command(epilog="Example: vouch models diff fusion-20261116-0f1e2d3c fusion-20261123-1a2b3c4d")
def diff(first: Name, second: Name, as_json: Json = False) -> None:
    """Show the weights and figures of two models side by side."""
    from cli.wiring.models import open_models

    row = open_models().diff(first, second)
    if as_json:
        emit(row)
        return
    for what in ("weights", "figures"):
        table([what, first, second], [(r["name"], r["first"], r["second"]) for r in row[what]], empty=f"no {what}")


@app.command(epilog="Example: vouch models add fusion.json")
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What vouch train fusion or evaluator wrote.")],
    as_json: Json = False,
) -> None:
    """Check the model in a file and register it. It serves nobody before it is promoted."""
    from cli.wiring.models import open_models

    model = open_models().add(file)
    if as_json:
        emit({"name": model.name, "kind": model.kind, "state": model.state, "reason": model.reason or ""})
    elif model.reason:
        say(f"{model.name} is kept and can never serve: {model.reason}")
    else:
        then = "shadow" if model.kind == "fusion" else "promote"
        say(f"{model.name} is registered; next: vouch models {then} {model.name}")


@app.command(epilog="Example: vouch models promote fusion-20261123-1a2b3c4d --by ana@acme.test")
def promote(
    name: Name, by: By = None,
    reason: Annotated[str, typer.Option(help="Why, for the history.")] = "promoted",
    early: Annotated[bool, typer.Option("--early", help="Although it has not shadowed for long enough.")] = False,
    as_json: Json = False,
) -> None:
    """Let a model serve. Running processes take it within seconds."""
    from cli.wiring.models import open_models

    service = open_models()
    pointer = service.promote(name, by or _who(), reason, early=early)
    _tell_moved(pointer.kind, pointer.model, service.files, as_json)


@app.command(epilog="Example: vouch models rollback fusion")
def rollback(
    kind: Annotated[Kind, typer.Argument(help="What is rolled back.")], by: By = None,
    reason: Annotated[str, typer.Option(help="Why, for the history.")] = "rolled back",
    as_json: Json = False,
) -> None:
    """Go back to the model that served before, or to what comes with vouch."""
    from cli.wiring.models import open_models

    service = open_models()
    pointer = service.rollback(kind.value, by or _who(), reason)
    _tell_moved(pointer.kind, pointer.model, service.files, as_json)


@app.command(epilog="Example: vouch models retire fusion-20261116-0f1e2d3c --yes")
def retire(
    name: Name, by: By = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: it cannot be undone.")] = False,
    as_json: Json = False,
) -> None:
    """Keep a model from ever serving again. It stays listed."""
    from cli.wiring.models import open_models

    service = open_models()
    service.ledger.models.get(name)
    if not yes and not sys.stdin.isatty():
        raise Usage("retiring cannot be undone", cure="run it again with --yes")
    if not yes and not typer.confirm(f"Retire {name} for good?"):
        say("nothing was changed")
        return
    service.retire(name, by or _who())
    emit({"retired": name}) if as_json else say(f"{name} is retired")


@app.command(epilog="Example: vouch models shadow fusion-20261123-1a2b3c4d")
def shadow(
    name: Annotated[str | None, typer.Argument(help="Name of a model.", autocompletion=completion.models)] = None,
    stop: Annotated[bool, typer.Option("--stop", help="End the shadow that there is.")] = False,
    as_json: Json = False,
) -> None:
    """Compare what a fusion would rank with what is ranked, from now on. Answers stay as they are.

    VOUCH_SHADOW__INTERLEAVE makes answers from both in turns instead.
    """
    from cli.wiring.models import open_models

    if (name is None) is not stop:
        raise Usage("give the name of a model, or --stop", cure="vouch models shadow NAME")
    service = open_models()
    if name is None:
        ended = service.stop_shadow()
        emit({"shadow": None, "ended": ended}) if as_json else say(f"{ended} shadows no more")
        return
    beside = service.shadow(name).model
    if as_json:
        emit({"shadow": name, "beside": beside})
    else:
        say(f"{name} shadows {beside or 'reciprocal ranks'}; what it would change: vouch models show {name}")


app.command(epilog=model_check.EPILOG)(model_check.check)


def _tell_moved(kind: str, model: str | None, files: Mapping[str, str], as_json: bool) -> None:
    file = files.get(kind, "")
    if as_json:
        emit({"kind": kind, "model": model, "instead": file})
        return
    say(f"{kind}: {model or 'what comes with vouch'} serves, in running processes within seconds")
    if file:
        say(f"but not with these settings: the file {file} wins")


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):        # a user id without a name
        return "unknown"
