"""What has been ended before its time, such as a session, for all processes."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import ended


class Ended:
    """Knows marks of 64 characters at most, each until a moment."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def end(self, mark: str, until: datetime) -> bool:
        """Whether it was not ended before. Of two at once one is told so."""
        with self._database.write(f"ended/{mark}") as connection:
            if _known(connection, mark):
                return False
            connection.execute(insert(ended).values(mark=mark, until=until))
            return True

    def end_until(self, mark: str, until: datetime) -> None:
        """At least until then."""
        with self._database.write(f"ended/{mark}") as connection:
            if _known(connection, mark):
                later = update(ended).where(ended.c.mark == mark, ended.c.until < until)
                connection.execute(later.values(until=until))
            else:
                connection.execute(insert(ended).values(mark=mark, until=until))

    def untils(self, marks: Sequence[str]) -> dict[str, datetime]:
        """Of those that are ended."""
        with self._database.read() as connection:
            rows = connection.execute(select(ended).where(ended.c.mark.in_(marks)))
            return {row.mark: row.until for row in rows}

    def is_ended(self, mark: str) -> bool:
        with self._database.read() as connection:
            return _known(connection, mark)


def forget_ended(connection: Connection, now: datetime) -> None:
    """What would be over by itself is forgotten."""
    connection.execute(delete(ended).where(ended.c.until <= now))


def _known(connection: Connection, mark: str) -> bool:
    return connection.execute(select(ended.c.mark).where(ended.c.mark == mark)).first() is not None
