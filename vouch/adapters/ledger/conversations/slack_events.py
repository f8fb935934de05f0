"""Events of Slack that were taken, each for a day: Slack tells one again for an hour at most."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import slack_events

KEPT = timedelta(days=1)


class SlackEvents:
    """Knows ids of 100 characters at most."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def was_taken(self, event_id: str) -> bool:
        with self._database.read() as connection:
            return _known(connection, event_id)

    def take(self, event_id: str, at: datetime) -> None:
        """May be called again."""
        with self._database.write(f"slack event/{event_id}") as connection:
            if not _known(connection, event_id):
                connection.execute(insert(slack_events).values(event_id=event_id, taken_at=at))


def forget_events(connection: Connection, now: datetime) -> None:
    """Those that Slack does not tell again any more."""
    connection.execute(delete(slack_events).where(slack_events.c.taken_at <= now - KEPT))


def _known(connection: Connection, event_id: str) -> bool:
    return connection.execute(select(slack_events.c.event_id).where(slack_events.c.event_id == event_id)).first() \
        is not None
