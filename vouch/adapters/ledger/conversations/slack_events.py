"""Ids of what Slack told, kept as long as it tells the same again."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import slack_events

EVENTS_KEPT = timedelta(days=1)


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

    def last(self) -> datetime | None:
        """When the last one was taken; None if none ever was."""
        with self._database.read() as connection:
            newest = select(slack_events.c.taken_at).order_by(slack_events.c.taken_at.desc()).limit(1)
            return connection.execute(newest).scalar_one_or_none()


def forget_events(connection: Connection, now: datetime) -> None:
    """Those that Slack does not tell again any more, but the last one: it says that events came at all."""
    last = connection.execute(select(func.max(slack_events.c.taken_at))).scalar_one_or_none()
    if last is not None:
        old = min(now - EVENTS_KEPT, last - timedelta(microseconds=1))
        connection.execute(delete(slack_events).where(slack_events.c.taken_at <= old))


def _known(connection: Connection, event_id: str) -> bool:
    return connection.execute(select(slack_events.c.event_id).where(slack_events.c.event_id == event_id)).first() \
        is not None
