"""vouch tidy: let go of what is old enough."""

from typing import Annotated

import typer

from cli.activity import progress
from cli.output import Json, emit, say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch tidy --dry-run")(tidy)


def tidy(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be deleted; delete nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Delete old answers, messages and versions that nobody needs, and finish interrupted purges."""
    from datetime import UTC, datetime

    with progress("starting") as listener:
        from cli.wiring.ingest import ingest_components, retention
        from flows.retention import tidy_up

        done = tidy_up(ingest_components(), retention(), datetime.now(UTC), dry_run=dry_run, progress=listener)
    if as_json:
        emit({**done.row(), "dry_run": dry_run})
        return
    say(
        f"{'would delete' if dry_run else 'deleted'} {done.answers} answers with {done.candidates} candidates and "
        f"{done.votes} votes, {done.inbox} ids of questions, {done.messages} messages, {len(done.versions)} versions "
        f"and {done.folders} folders ({done.bytes:,} bytes)"
    )
    for name in done.purges:
        say(f"{'would finish' if dry_run else 'finished'} the purge of {name}")
