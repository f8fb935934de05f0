"""What Slack told to have changed, kept for a day: longer than any process keeps what Slack said."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import slack_changes
from vouch.batches import batches

CHANGES_KEPT = timedelta(days=1)
_BATCH = 500


class SlackChanges:
    """Knows ids of 60 characters at most: of conversations, accounts, and user groups. Threads may share it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, subject: str, at: datetime) -> None:
        """From now on it has another stamp."""
        fresh = {"stamp": uuid.uuid4().hex, "at": at}
        with self._database.write(f"slack change/{subject}") as connection:
            known = update(slack_changes).where(slack_changes.c.subject == subject).values(**fresh)
            if not connection.execute(known).rowcount:
                connection.execute(insert(slack_changes).values(subject=subject, **fresh))

    def stamps(self, subjects: Iterable[str]) -> Mapping[str, str]:
        """Of those that changed within the last day. One that is as it was before means that nothing was told since."""
        found = dict[str, str]()
        with self._database.read() as connection:
            for some in batches(list(subjects), _BATCH):
                rows = select(slack_changes.c.subject, slack_changes.c.stamp).where(
                    slack_changes.c.subject.in_(some))
                found |= {row.subject: row.stamp for row in connection.execute(rows)}
        return found


def forget_changes(connection: Connection, now: datetime) -> None:
    connection.execute(delete(slack_changes).where(slack_changes.c.at <= now - CHANGES_KEPT))
