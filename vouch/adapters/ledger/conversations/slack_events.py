"""Ids of events that Slack told of, and signatures of what has no id, kept as long as either may come again."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, true

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import slack_events

EVENTS_KEPT = timedelta(days=1)
_IS_EVENT = ~slack_events.c.event_id.startswith("v0=")        # as signatures do
_LAST = select(slack_events).where(_IS_EVENT).order_by(slack_events.c.taken_at.desc()).limit(1)


class SlackEvents:
    """Knows ids of 100 characters at most."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def was_taken(self, event_id: str) -> bool:
        with self._database.read() as connection:
            return _known(connection, event_id)

    def take(self, event_id: str, at: datetime) -> bool:
        """Whether it was not taken before: of all that call at once, whatever their processes, one is told so."""
        with self._database.write(f"slack event/{event_id}") as connection:
            new = not _known(connection, event_id)
            if new:
                connection.execute(insert(slack_events).values(event_id=event_id, taken_at=at))
            return new

    def give_back(self, event_id: str) -> None:
        """It was not taken after all."""
        with self._database.write(f"slack event/{event_id}") as connection:
            connection.execute(delete(slack_events).where(slack_events.c.event_id == event_id))

    def last(self) -> datetime | None:
        """When the last event was taken; None if none ever was."""
        with self._database.read() as connection:
            row = connection.execute(_LAST).first()
        return None if row is None else row.taken_at


def forget_events(connection: Connection, now: datetime) -> None:
    """Those that Slack does not tell again any more, but the last event: it says that events came at all."""
    last = connection.execute(_LAST).first()
    old = slack_events.c.taken_at <= now - EVENTS_KEPT
    others = true() if last is None else slack_events.c.event_id != last.event_id
    connection.execute(delete(slack_events).where(old, others))


def _known(connection: Connection, event_id: str) -> bool:
    return connection.execute(select(slack_events.c.event_id).where(slack_events.c.event_id == event_id)).first() \
        is not None
