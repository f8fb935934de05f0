"""vouch models: the registry of learned models, and which of them serve."""

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.learning.model_lines import EPILOG, check, role, say_difference, say_model, told
from cli.terminal import completion
from cli.terminal.activity import progress, waiting
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, moment, say, table
from cli.wiring.account import account_name
from vouch.errors import Usage

if TYPE_CHECKING:
    from vouch.adapters.ledger import Pointer

app = command_group("List, inspect, compare, add, shadow, promote, roll back and retire learned models.")
Name = Annotated[str, typer.Argument(help="Name of a model.", autocompletion=completion.models)]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who does it. Default: the user of this machine.")]


def _said(reason: str) -> str:
    if not reason.strip():
        raise Usage("the reason is empty", cure="say why, or leave out --reason")
    return reason


class Kind(StrEnum):
    fusion = "fusion"
    reranker = "reranker"
    judge = "judge"
    evaluator = "evaluator"
    agent = "agent"


class Place(StrEnum):
    reranker = "reranker"
    judge = "judge"


@app.command("list", epilog="Example: vouch models list --kind fusion")
def list_models(
    kind: Annotated[Kind | None, typer.Option(help="Only models of this kind.")] = None, as_json: Json = False
) -> None:
    """List all models, oldest first, and show which are in use."""
    from cli.wiring.training.models import open_models

    service = open_models()
    rows = service.rows(kind.value if kind else None)
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["name", "kind", "state", "at present", "made", "figure, or why not"],
          [(r["name"], r["kind"], r["state"], role(r), moment(r["made_at"]), told(r)) for r in rows],
          empty="there are no models; vouch models add FILE registers one")
    for each, file in service.files.items():
        if file:
            say(f"the settings name {file} as {each}, whatever is promoted; vouch doctor tells if it can serve")


@app.command(epilog="Example: vouch models show fusion-20261123-1a2b3c4d")
def show(name: Name, as_json: Json = False) -> None:
    """Show a model: its weights, its figures, its history, and the figures of its shadow run."""
    with waiting(f"comparing what {name} would have ranked"):
        from cli.wiring.training.models import open_models

        row = open_models().show(name)
    if as_json:
        emit(row)
        return
    say_model(row)


@app.command(epilog="Example: vouch models diff fusion-20261116-0f1e2d3c fusion-20261123-1a2b3c4d")
def diff(
    first: Name, second: Name,
    everything: Annotated[bool, typer.Option("--all", help="Also show what is equal in both.")] = False,
    as_json: Json = False,
) -> None:
    """Show the weights and figures in which two models differ side by side."""
    from cli.wiring.training.models import open_models

    row = open_models().diff(first, second)
    if as_json:
        emit(row)
        return
    say_difference(row, everything=everything)


@app.command(epilog="Examples: vouch models add fusion.json\n\nvouch models add judge --kind judge")
def add(
    place: Annotated[Path, typer.Argument(metavar="FILE|FOLDER", help=(
        "What vouch train fusion, evaluator, agent or judge wrote, or the Hugging Face folder of a cross-encoder."))],
    kind: Annotated[Place, typer.Option(help=(
        "What a folder is to serve as: a reranker puts passages in order, a judge reads the first ones for the "
        "evaluator. It says nothing of a file."))] = Place.reranker,
    as_json: Json = False,
) -> None:
    """Check a model and register it. It is not used before it is promoted. The home keeps a copy of a folder."""
    with waiting(f"checking {place}"):
        from cli.wiring.training.models import open_models

        model = open_models().add(place, kind.value)
    if as_json:
        emit({"name": model.name, "kind": model.kind, "state": model.state, "reason": model.reason or ""})
    elif model.reason:
        say(f"{model.name} is kept and can never serve: {model.reason}")
    else:
        both = f"promote {model.name} --with EVALUATOR"
        then = {"fusion": f"shadow {model.name}", "reranker": both, "judge": both}
        say(f"{model.name} is registered; next: vouch models {then.get(model.kind, f'promote {model.name}')}")


@app.command(epilog="Example: vouch models promote fusion-20261123-1a2b3c4d --by ana@acme.test")
def promote(
    name: Name, by: By = None,
    reason: Annotated[str, typer.Option(help="Why, for the history.", callback=_said)] = "promoted",
    early: Annotated[bool, typer.Option("--early", help="Even if its shadow run was not long enough.")] = False,
    beside: Annotated[str | None, typer.Option("--with", metavar="NAME", autocompletion=completion.models, help=(
        "The evaluator that was trained with this reranker or judge, or the reranker (maxsim: none) that this "
        "evaluator was trained with. Both serve from the same moment; an evaluator takes its judge along."))] = None,
    as_json: Json = False,
) -> None:
    """Put a model to use. Running processes switch to it within seconds."""
    from cli.wiring.training.models import open_models

    service = open_models()
    moved = service.promote(name, by or account_name(), reason, early=early, beside=beside)
    _tell_moved(moved, service.files, as_json)


@app.command(epilog="Example: vouch models rollback fusion")
def rollback(
    kind: Annotated[Kind, typer.Argument(help="Kind of model to roll back.")], by: By = None,
    reason: Annotated[str, typer.Option(help="Why, for the history.", callback=_said)] = "rolled back",
    as_json: Json = False,
) -> None:
    """Go back to the model that was used before, or to the one that comes with vouch.

    An evaluator goes back with the reranker and the judge that it was trained with, and each of these with it.
    """
    from cli.wiring.training.models import open_models

    service = open_models()
    _tell_moved(service.rollback(kind.value, by or account_name(), reason), service.files, as_json)


@app.command(epilog="Example: vouch models retire fusion-20261116-0f1e2d3c --yes")
def retire(
    name: Name, by: By = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: it cannot be undone.")] = False,
    as_json: Json = False,
) -> None:
    """Bar a model from ever being used again. It stays listed."""
    from cli.wiring.training.models import open_models

    service = open_models()
    service.known(name)
    if not yes and not sys.stdin.isatty():
        raise Usage("retiring cannot be undone", cure="run it again with --yes")
    if not yes and not typer.confirm(f"Retire {name} for good?"):
        say("nothing was changed")
        return
    service.retire(name, by or account_name())
    emit({"retired": name}) if as_json else say(f"{name} is retired")


@app.command(epilog="Example: vouch models shadow fusion-20261123-1a2b3c4d")
def shadow(
    name: Annotated[str | None, typer.Argument(help="Name of a model.", autocompletion=completion.models)] = None,
    stop: Annotated[bool, typer.Option("--stop", help="End the current shadow run.")] = False,
    as_json: Json = False,
) -> None:
    """From now on, compare how this fusion would rank with how the current one ranks. Answers stay the same.

    With VOUCH_SHADOW__INTERLEAVE, answers are made from both in turns instead.
    """
    from cli.wiring.training.models import open_models

    if (name is None) is not stop:
        raise Usage("give the name of a model, or --stop", cure="vouch models shadow NAME")
    service = open_models()
    if name is None:
        ended = service.stop_shadow()
        emit({"shadow": None, "ended": ended}) if as_json else say(f"{ended} shadows no more")
        return
    before = service.shadowing()
    pointer = service.shadow(name)
    since = pointer.shadow_since.isoformat() if pointer.shadow_since else None
    if as_json:
        emit({"shadow": name, "beside": pointer.model, "since": since, "new": pointer != before})
    elif pointer == before:
        say(f"{name} shadows since {moment(since)}, nothing changed")
    else:
        say(f"{name} shadows {pointer.model or 'reciprocal ranks'}; what it would change: vouch models show {name}")


@app.command(epilog="Example: vouch models fetch bge-small-en-v1.5")
def fetch(
    name: Annotated[str, typer.Argument(help="Name of an encoder.", autocompletion=completion.encoders)],
    as_json: Json = False,
) -> None:
    """Download an encoder for VOUCH_ENCODER__MODEL and keep it in the home. No other command needs the network.

    An interrupted download goes on where it stopped.
    """
    with progress("fetching") as listener:
        from cli.wiring.training.models import fetch_encoder

        folder, known = fetch_encoder(name, listener)
    if as_json:
        emit({"name": name, "folder": str(folder), "fetched": not known})
        return
    say(f"{name} {'was there already' if known else 'is'} in {folder}")
    say(f"next: set VOUCH_ENCODER__MODEL={name}, and run vouch ingest: all passages are embedded again")
    say("then train an evaluator that goes with it (vouch train evaluator): without one nothing is answered")


app.command(epilog=EPILOG)(check)


def _tell_moved(moved: "Sequence[Pointer]", files: Mapping[str, str], as_json: bool) -> None:
    for pointer in moved:
        file = files.get(pointer.kind, "")
        if as_json:
            emit({"kind": pointer.kind, "model": pointer.model, "instead": file})
            continue
        serves = pointer.model or "what comes with vouch"
        say(f"{pointer.kind}: {serves} serves, in running processes within seconds")
        if file:
            say(f"but not with these settings: the file {file} wins")
