"""How many questions a person has asked lately, for a limit that holds over all processes."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import asked

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
