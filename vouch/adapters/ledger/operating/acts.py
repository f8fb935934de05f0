"""What operators did: who, when, and what became of it."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import acts


@dataclass(frozen=True, slots=True)
class Act:
    """`outcome` is None while it goes on, and if the process ended before it was known."""

    id: int
    at: datetime
    by: str
    act: str
    outcome: str | None


class Acts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, by: str, act: str, at: datetime) -> int:
        """It is noted that somebody sets about it; its id."""
        with self._database.write() as connection:
            key = connection.execute(insert(acts).values(by=by, act=act, at=at)).inserted_primary_key
        assert key is not None
        return int(key[0])

    def end(self, act: int, outcome: str) -> None:
        with self._database.write() as connection:
            connection.execute(update(acts).where(acts.c.id == act).values(outcome=outcome))

    def list(self, limit: int = 50, before: int | None = None) -> list[Act]:
        """Newest first, of all or of those noted before the act with that id."""
        query = select(acts).order_by(acts.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(acts.c.id < before)
        with self._database.read() as connection:
            return [Act(*row) for row in connection.execute(query)]
