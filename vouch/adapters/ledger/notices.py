"""Messages that a surface has yet to post by itself: each is posted once, whoever is killed in between."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import notices

WAITING, POSTED, DROPPED = "waiting", "posted", "dropped"
LEASE = timedelta(seconds=60)           # longer than all requests of one post may take


@dataclass(frozen=True, slots=True)
class Notice:
    """`tries`: how often it was begun to be posted before this time. Then it may be there already."""

    id: str
    kind: str
    body: Mapping[str, Any]
    tries: int


@dataclass(frozen=True, slots=True)
class NewNotice:
    """To be put into the ledger together with what it is about."""

    id: str
    kind: str
    body: Mapping[str, Any]


class Notices:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, id_: str, kind: str, body: Mapping[str, Any], at: datetime) -> bool:
        """False if there is one with that id, whatever became of it."""
        with self._database.write(f"notice/{id_}") as connection:
            return put_notice(connection, id_, kind, body, at)

    def claim(self, now: datetime) -> Notice | None:
        """The oldest that is due, for this caller alone while the lease lasts."""
        due = (notices.c.state == WAITING) & (notices.c.due_at <= now)
        with self._database.read() as connection:       # whoever looks often takes no write lock for it
            if connection.execute(select(notices.c.id).where(due).limit(1)).first() is None:
                return None
        with self._database.write("notices") as connection:
            row = connection.execute(select(notices).where(due).order_by(notices.c.made_at, notices.c.id)
                                     .limit(1)).first()
            if row is None:
                return None
            mine = notices.c.id == row.id
            connection.execute(update(notices).where(mine).values(due_at=now + LEASE, tries=row.tries + 1))
        return Notice(row.id, row.kind, row.body, row.tries)

    def finish(self, id_: str, state: str) -> None:
        """It is posted or dropped; words that it held are gone."""
        with self._database.write() as connection:
            connection.execute(update(notices).where(notices.c.id == id_).values(state=state, body={}))

    def later(self, id_: str, at: datetime) -> None:
        """Its post failed: it is due again then."""
        with self._database.write() as connection:
            connection.execute(update(notices).where(notices.c.id == id_).values(due_at=at))

    def forget(self, kind: str, before: datetime) -> None:
        """Those of the kind from before then that nobody has posted yet are dropped, with their words."""
        old = (notices.c.kind == kind) & (notices.c.made_at < before) & (notices.c.state == WAITING)
        with self._database.write("notices") as connection:
            connection.execute(update(notices).where(old).values(state=DROPPED, body={}))

    def waiting(self) -> list[str]:
        """Ids of those that are not posted yet, the oldest first."""
        query = select(notices.c.id).where(notices.c.state == WAITING).order_by(notices.c.made_at, notices.c.id)
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())


def put_notice(connection: Connection, id_: str, kind: str, body: Mapping[str, Any], at: datetime) -> bool:
    """The same within a transaction."""
    if connection.execute(select(notices.c.id).where(notices.c.id == id_)).first() is not None:
        return False
    connection.execute(
        insert(notices).values(id=id_, kind=kind, body=dict(body), state=WAITING, tries=0, due_at=at, made_at=at)
    )
    return True
