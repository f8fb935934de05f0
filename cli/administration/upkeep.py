"""vouch tidy and vouch migrate: let go of what is old enough, and make tables and topics."""

from typing import Annotated

import typer

from cli.terminal.activity import progress
from cli.terminal.output import Json, emit, say
from vouch.plurals import count


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch tidy --dry-run")(tidy)
    app.command(epilog="Example: vouch migrate")(migrate)


def tidy(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be deleted; delete nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Delete old answers, messages and versions that nobody needs, and finish interrupted purges."""
    from datetime import UTC, datetime

    with progress("starting") as listener:
        from cli.wiring.ingest import ingest_components, retention
        from flows.runs.retention import tidy_up

        done = tidy_up(ingest_components(), retention(), datetime.now(UTC), dry_run=dry_run, progress=listener)
    if as_json:
        emit({**done.row(), "dry_run": dry_run})
        return
    say(
        f"{'would delete' if dry_run else 'deleted'} {count(done.answers, 'answer')} with "
        f"{count(done.candidates, 'candidate')} and {count(done.votes, 'vote')}, {count(done.labels, 'label')}, "
        f"{count(done.inbox, 'id of a question', 'ids of questions')}, {count(done.messages, 'message')}, "
        f"{count(len(done.versions), 'version')} and {count(done.folders, 'folder')} ({done.bytes:,} bytes)"
    )
    if done.reports:
        files = count(done.reports, "file of a weekly report", "files of weekly reports")
        say(f"{'would delete' if dry_run else 'deleted'} {files}")
    if done.evaluations:
        reports = count(done.evaluations, "report of an evaluation", "reports of evaluations")
        say(f"{'would delete' if dry_run else 'deleted'} {reports}")
    if done.drafts:
        say(f"{'would delete' if dry_run else 'deleted'} {count(done.drafts, 'draft')} of documents")
    if done.searches:
        files = count(done.searches, "file of a training that was cut off", "files of trainings that were cut off")
        say(f"{'would delete' if dry_run else 'deleted'} {files}")
    for name in done.purges:
        say(f"{'would finish' if dry_run else 'finished'} the purge of {name}")


def migrate(as_json: Json = False) -> None:
    """Update the ledger's tables and create missing Kafka topics.

    It is safe to run this again, and on several machines at once.
    """
    from cli.wiring.administration import migrated_ledger
    from cli.wiring.status import topics_made

    ledger, revision = migrated_ledger()
    topics = topics_made()
    if as_json:
        emit({"ledger": ledger, "revision": revision, "topics_made": topics})
    else:
        say(f"ledger {ledger} has revision {revision}; {count(len(topics), 'topic')} made")
