"""vouch source: where documents come from."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli.output import Json, count, emit, say, table, warn

app = typer.Typer(
    help="Add, list and remove the places documents come from.", no_args_is_help=True, rich_markup_mode=None
)


class Kind(StrEnum):
    folder = "folder"
    events = "events"
    git = "git"


@app.command(epilog="Example: vouch source add handbook --kind folder --path ./handbook --access ./access.yaml")
def add(
    name: Annotated[str, typer.Argument(help="A short name: letters, digits, dot, dash, underscore.")],
    kind: Annotated[Kind, typer.Option(help="folder of documents, file of change events, or git repository.")],
    path: Annotated[Path, typer.Option(help="The folder, events file (.jsonl, .jsonl.gz) or repository.")],
    access: Annotated[
        Path | None, typer.Option(help="Rules file; for a folder, its own access.yaml if there is one.")
    ] = None,
    branch: Annotated[
        str | None, typer.Option(help="Branch of a git repository; the one HEAD names now, unless given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add a source. Nothing is read until the next ingest."""
    from cli.wiring.parts import open_parts
    from vouch.adapters.access_files import read_rules

    place = path.expanduser().absolute()
    rules = _rules_file(kind, place, access)
    parts = open_parts()
    row = parts.add_source(name, kind.value, place, rules, branch)
    own = _rules_file(kind, place, None)
    if own is not None and own.is_file() and own != rules:
        warn(f"{own} is not in force: {rules} is")
    book = read_rules(rules)
    if book.broken:
        warn(f"{book.broken}; until then nobody may read {name}")
    elif not book.rules:
        warn(f"{name} has no access rules: nobody may read its documents (give --access access.yaml)")
    rules_told = f", {count(len(book.rules), 'access rule')}" if book.rules else ""
    emit(row) if as_json else say(f"added {name}: {kind.value} {row['path']}{rules_told}")


@app.command("list", epilog="Example: vouch source list --json")
def list_sources(as_json: Json = False) -> None:
    """List the sources and whether their access rules can be understood."""
    from cli.wiring.parts import open_parts

    rows = open_parts().source_rows()
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["name", "kind", "path", "access", "rules"], [list(row.values())[:5] for row in rows])
    for row in rows:
        if row["waiting"]:
            say(_waiting(row["name"], row["waiting"]))


@app.command(epilog="Example: vouch source access handbook ./access.yaml")
def access(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    file: Annotated[Path, typer.Argument(help="The rules file that decides from now on.")],
    as_json: Json = False,
) -> None:
    """Take another access file for a source.

    What it refuses counts at once, what it newly allows after the next ingest.
    """
    from cli.wiring.parts import open_parts

    place, parts = file.expanduser().absolute(), open_parts()
    book = parts.set_access(name, place)
    waiting = parts.waiting(name)
    if book.broken:
        warn(f"{book.broken}; until then nobody may read {name}")
    if as_json:
        emit({"name": name, "access": str(place), "rules": len(book.rules), "waiting": waiting})
        return
    say(f"{name}: {count(len(book.rules), 'rule')} of {place} decide from now on")
    if waiting:
        say(_waiting(name, waiting))


@app.command(epilog="Example: vouch source remove handbook")
def remove(name: Annotated[str, typer.Argument(help="Name of the source.")], as_json: Json = False) -> None:
    """Remove a source. Its documents are hidden at once and leave the index at the next ingest."""
    from cli.wiring.parts import open_parts

    open_parts().remove_source(name)
    emit({"removed": name}) if as_json else say(f"removed {name}; run vouch ingest to drop its documents")


def _waiting(name: str, documents: int) -> str:
    return f"{name}: what its rules newly allow for {count(documents, 'document')} counts after the next vouch ingest"


def _rules_file(kind: Kind, place: Path, access: Path | None) -> Path | None:
    if access is not None:
        return access.expanduser().absolute()
    return place / "access.yaml" if kind is Kind.folder else None      # it may come later: it is watched
