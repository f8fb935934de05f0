"""vouch migrate: tables and topics are there before anything else starts."""

import typer

from cli.output import Json, emit, say
from vouch.wording import count


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch migrate")(migrate)


def migrate(as_json: Json = False) -> None:
    """Update the ledger's tables and create missing Kafka topics.

    Safe to repeat, and from several machines at once.
    """
    from cli.wiring.home import migrated_ledger
    from cli.wiring.log import topics_made

    ledger, revision = migrated_ledger()
    topics = topics_made()
    if as_json:
        emit({"ledger": ledger, "revision": revision, "topics_made": topics})
    else:
        say(f"ledger {ledger} has revision {revision}; {count(len(topics), 'topic')} made")
