"""vouch documents: what the current version holds, and what is wrong with the rest."""

from typing import Annotated

import typer

from cli.terminal import completion
from cli.terminal.activity import waiting
from cli.terminal.output import Json, emit, say, table


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch documents --json | grep quarantined")(documents)


def documents(
    source: Annotated[str | None, typer.Option(help="Only this source.", autocompletion=completion.sources)] = None,
    skipped: Annotated[
        bool, typer.Option("--skipped", help="List files in the sources that are not read.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List documents: who can read them, who owns them, their state, why some could not be read. For administrators."""
    if skipped:
        _skipped(source, as_json)
        return
    with waiting("looking at documents"):
        from cli.wiring.administration import open_administration
        from services.documents.access_report import told_readers

        admin = open_administration()
        if source is not None:
            admin.ledger.sources.get(source)
        rows = admin.access_report().rows(source)
    if as_json:
        for row in rows:
            emit(row)
        return
    owned = any(row["owners"] for row in rows)
    table(["source", "path", "readers", *(["owners"] if owned else []), "state", "reason"],
          [(r["source"], r["path"], told_readers(r), *([", ".join(r["owners"])] if owned else []), r["state"],
            r["reason"]) for r in rows],
          empty="no documents are indexed; vouch ingest brings them in")


def _skipped(source: str | None, as_json: bool) -> None:
    """A source that cannot be looked at does not keep the others from being listed."""
    from cli.wiring.ingest import skipped_files
    from flows.shared.reporting import failure_of
    from vouch.errors import VouchError

    failures: dict[str, VouchError] = {}
    for name, look in skipped_files(source).items():
        try:
            with waiting(f"looking at source {name}"):
                skipped = look()
        except VouchError as error:
            failures[name] = error
            continue
        for file in skipped:
            emit({"source": name, "path": file.path, "reason": file.reason}) if as_json else say(
                f"{name}:{file.path}: {file.reason}")
    if failures:
        raise failure_of(failures)
