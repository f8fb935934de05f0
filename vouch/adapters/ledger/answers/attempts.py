"""How often a message was begun. It outlives the process, so that a message that kills it is found out too."""

from datetime import datetime

from sqlalchemy import ColumnElement, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import attempts
from vouch.ports.log import Record


class Attempts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begun(self, group: str, record: Record) -> int:
        """How many were begun and not ended."""
        with self._database.read() as connection:
            count = connection.execute(select(attempts.c.count).where(_of(group, record))).scalar_one_or_none()
        return count or 0

    def put(self, group: str, record: Record, count: int, at: datetime) -> datetime:
        """So many are begun now; when the first of them was. The same may be put again."""
        turn = f"attempts/{group}/{record.topic}/{record.partition}/{record.offset}"
        with self._database.write(turn) as connection:
            query = select(attempts.c.first_at).where(_of(group, record))
            first_at: datetime | None = connection.execute(query).scalar_one_or_none()
            if first_at is not None:
                connection.execute(update(attempts).where(_of(group, record)).values(count=count))
                return first_at
            if count:
                connection.execute(
                    insert(attempts).values(
                        grp=group, topic=record.topic, part=record.partition, off=record.offset,
                        count=count, first_at=at,
                    )
                )  # fmt: skip
        return at

    def end(self, group: str, record: Record) -> None:
        """The message is done with."""
        with self._database.write() as connection:
            connection.execute(delete(attempts).where(_of(group, record)))


def _of(group: str, record: Record) -> ColumnElement[bool]:
    c = attempts.c
    return (c.grp == group) & (c.topic == record.topic) & (c.part == record.partition) & (c.off == record.offset)
