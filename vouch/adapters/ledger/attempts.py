"""How often a message was begun. It outlives the process, so that a message that kills it is found out too."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, insert, select, update

from vouch.adapters.ledger.database import Database
from vouch.adapters.ledger.schema import attempts
from vouch.ports import Record


@dataclass(frozen=True, slots=True)
class Attempt:
    count: int                          # this one included
    first_at: datetime


class Attempts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begun(self, group: str, record: Record) -> int:
        """How many were begun and not ended."""
        with self._database.read() as connection:
            count = connection.execute(select(attempts.c.count).where(_of(group, record))).scalar_one_or_none()
        return count or 0

    def begin(self, group: str, record: Record, at: datetime) -> Attempt:
        """Counts one more."""
        turn = f"attempts/{group}/{record.topic}/{record.partition}/{record.offset}"
        with self._database.write(turn) as connection:
            row = connection.execute(select(attempts.c.count, attempts.c.first_at).where(_of(group, record))).first()
            if row is not None:
                connection.execute(update(attempts).where(_of(group, record)).values(count=row[0] + 1))
                return Attempt(row[0] + 1, row[1])
            connection.execute(
                insert(attempts).values(
                    grp=group, topic=record.topic, part=record.partition, off=record.offset, count=1, first_at=at
                )
            )
        return Attempt(1, at)

    def take_back(self, group: str, record: Record) -> None:
        """The last one does not count: it failed for a reason that is not the message's."""
        with self._database.write() as connection:
            connection.execute(update(attempts).where(_of(group, record)).values(count=attempts.c.count - 1))

    def end(self, group: str, record: Record) -> None:
        """The message is done with."""
        with self._database.write() as connection:
            connection.execute(delete(attempts).where(_of(group, record)))


def _of(group: str, record: Record) -> ColumnElement[bool]:
    c = attempts.c
    return (c.grp == group) & (c.topic == record.topic) & (c.part == record.partition) & (c.off == record.offset)
