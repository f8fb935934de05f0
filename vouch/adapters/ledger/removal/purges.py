"""Documents to be forgotten, and those that were: neither their places nor their contents come back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import purges
from vouch.errors import NotFound, Usage

Place = tuple[str, str]                 # source, path
PENDING, PROVEN, DONE = "pending", "proven", "done"


@dataclass(frozen=True, slots=True)
class Purge:
    """`hashes` are of every content the document ever had. Proven: only notes of the work itself may be left."""

    id: int
    source: str
    path: str
    hashes: tuple[str, ...]
    state: str
    at: datetime
    done_at: datetime | None

    @property
    def place(self) -> Place:
        return self.source, self.path


@dataclass(frozen=True)
class Refused:
    """What no source may bring back, with the moment its purge was asked for."""

    places: Mapping[Place, datetime]
    hashes: Mapping[str, datetime]

    def since(self, source: str, path: str, digest: str) -> datetime | None:
        return self.places.get((source, path)) or self.hashes.get(digest)

    def __bool__(self) -> bool:
        return bool(self.places)


class Purges:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, places: Iterable[Place], hashes: Iterable[str], at: datetime) -> None:
        """The places are to be forgotten, and so is each content; from now on no source brings them back."""
        wanted = set(hashes)
        with self._database.write("purges") as connection:
            for source, path in places:
                here = _at(source, path)
                known = connection.execute(select(purges.c.id, purges.c.hashes).where(here)).first()
                values = {"hashes": sorted(wanted.union(known.hashes if known else ())), "state": PENDING, "at": at}
                if known is None:
                    connection.execute(insert(purges).values(source=source, path=path, **values))
                else:
                    connection.execute(update(purges).where(here).values(done_at=None, **values))

    def learn(self, ids: Iterable[int], hashes: Iterable[str]) -> None:
        """These contents belong to the documents too."""
        known = set(hashes)
        with self._database.write("purges") as connection:
            for number in ids:
                here = purges.c.id == number
                held = connection.execute(select(purges.c.hashes).where(here)).scalar_one()
                connection.execute(update(purges).where(here).values(hashes=sorted(known.union(held))))

    def mark(self, ids: Iterable[int], state: str, at: datetime | None = None) -> None:
        with self._database.write() as connection:
            connection.execute(update(purges).where(purges.c.id.in_(list(ids))).values(state=state, done_at=at))

    def all(self) -> list[Purge]:
        """Oldest first."""
        with self._database.read() as connection:
            return _purges(connection.execute(select(purges).order_by(purges.c.id)).all())

    def unfinished(self) -> list[Purge]:
        return [purge for purge in self.all() if purge.state != DONE]

    def refused(self) -> Refused:
        rows = self.all()
        return Refused({row.place: row.at for row in rows}, {digest: row.at for row in rows for digest in row.hashes})

    def latest(self) -> datetime | None:
        """When the newest purge was asked for."""
        with self._database.read() as connection:
            moment: datetime | None = connection.execute(select(func.max(purges.c.at))).scalar_one_or_none()
        return moment

    def allow(self, source: str, path: str) -> None:
        """Place and contents may come back. Raises NotFound, and Usage while the purge is not done."""
        here = _at(source, path)
        with self._database.write("purges") as connection:
            state = connection.execute(select(purges.c.state).where(here)).scalar_one_or_none()
            if state is None:
                raise NotFound(f"{source}:{path} was not purged", cure="vouch purge --list shows what was")
            if state != DONE:
                raise Usage(f"the purge of {source}:{path} is not done", cure="finish it first: vouch tidy")
            connection.execute(delete(purges).where(here))


def _at(source: str, path: str) -> ColumnElement[bool]:
    return (purges.c.source == source) & (purges.c.path == path)


def _purges(rows: Sequence[object]) -> list[Purge]:
    return [
        Purge(r.id, r.source, r.path, tuple(r.hashes), r.state, r.at, r.done_at)  # type: ignore[attr-defined]
        for r in rows
    ]
