"""How often a message was begun, and how many questions a person has asked lately."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import asked, attempts
from vouch.ports.log import Record

_c = attempts.c
_MINE = (
    (_c.grp == bindparam("in_group")) & (_c.topic == bindparam("in_topic"))
    & (_c.part == bindparam("in_part")) & (_c.off == bindparam("at_offset"))
)  # fmt: skip
_COUNT, _FIRST_AT = select(_c.count).where(_MINE), select(_c.first_at).where(_MINE)
_COUNTED = update(attempts).where(_MINE).values(count=bindparam("new_count"))
_ENDED = delete(attempts).where(_MINE)


class Attempts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begun(self, group: str, record: Record) -> int:
        """How many were begun and not ended."""
        with self._database.read() as connection:
            count: int | None = connection.execute(_COUNT, _named(group, record)).scalar_one_or_none()
        return count or 0

    def put(self, group: str, record: Record, count: int, at: datetime) -> datetime:
        """So many are begun now; when the first of them was. The same may be put again."""
        turn = f"attempts/{group}/{record.topic}/{record.partition}/{record.offset}"
        mine = _named(group, record)
        with self._database.write(turn) as connection:
            first_at: datetime | None = connection.execute(_FIRST_AT, mine).scalar_one_or_none()
            if first_at is not None:
                connection.execute(_COUNTED, {**mine, "new_count": count})
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
            connection.execute(_ENDED, _named(group, record))


def _named(group: str, record: Record) -> dict[str, str | int]:
    return {"in_group": group, "in_topic": record.topic, "in_part": record.partition, "at_offset": record.offset}


WINDOW = timedelta(minutes=1)
KEPT = timedelta(minutes=10)            # questions do not come in the order they were asked


class RateLimiter:
    """At most `most` questions of an asker count within any minute; those that were refused do not count."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def wait(self, asker: str, at: datetime, most: int) -> timedelta:
        """How long the asker would have to wait for another question; zero if there is room."""
        with self._database.read() as connection:
            return _wait(connection, asker, at, most)

    def admit(self, question_id: str, asker: str, at: datetime, most: int) -> timedelta:
        """Zero if the question, asked at that moment, has room, and then it counts; else how long to wait.

        A question that counts already has room, however often it comes.
        """
        with self._database.write(f"asked/{asker}") as connection:
            if connection.execute(select(asked.c.at).where(asked.c.question_id == question_id)).first() is not None:
                return timedelta(0)
            wait = _wait(connection, asker, at, most)
            if not wait:
                connection.execute(insert(asked).values(question_id=question_id, asker=asker, at=at))
                connection.execute(delete(asked).where(asked.c.at <= at - KEPT))
            return wait


def _wait(connection: Connection, asker: str, at: datetime, most: int) -> timedelta:
    mine = (asked.c.asker == asker) & (asked.c.at > at - WINDOW) & (asked.c.at < at + WINDOW)
    newest = list(connection.execute(select(asked.c.at).where(mine).order_by(asked.c.at.desc()).limit(most)).scalars())
    return newest[-1] + WINDOW - at if len(newest) == most else timedelta(0)
