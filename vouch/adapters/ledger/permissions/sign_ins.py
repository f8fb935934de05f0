"""Groups that sign-ins have proven, and sessions that were ended."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from vouch.access import Proven
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import directory, ended
from vouch.adapters.ledger.permissions.restrictions import lock_pointers, raise_epoch
from vouch.adapters.ledger.permissions.stored_forms import proven_json, proven_of


class ProvenGroups:
    """Of each person the newest proof counts, and no other one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, person: str, groups: Sequence[str], at: datetime, until: datetime) -> bool:
        """False, and nothing is noted, of whom the directory does not list. A proof older than the one that is noted
        changes nothing; of two of the same moment, whose order nobody knows, only the groups of both count. The access
        epoch is raised only if the person may read something else than before, or longer.
        """
        with self._database.write("access") as connection:
            lock_pointers(connection)
            body = connection.execute(select(directory.c.body)).scalar_one_or_none()
            if body is None or person not in body["people"]:
                return False
            proven = proven_of(body)
            known = proven.get(person)
            if known is not None and at < known.at:
                return True
            both = set(groups) if known is None or at > known.at else set(groups).intersection(known.groups)
            new = Proven(tuple(sorted(both)), at, until)
            if known == new:
                return True
            proven = {name: proof for name, proof in proven.items() if name in body["people"] or proof.until > at}
            proven[person] = new
            connection.execute(update(directory).values(body={**body, "proven": proven_json(proven)}))
            if _counts(known) != _counts(new):
                raise_epoch(connection)
        return True

    def shorten(self, until: Callable[[datetime], datetime]) -> int:
        """No proof counts for longer than `until` says of the moment it was made. How many people had one that did."""
        with self._database.write("access") as connection:
            lock_pointers(connection)
            body = connection.execute(select(directory.c.body)).scalar_one_or_none()
            proven = {} if body is None else proven_of(body)
            long = {name: replace(one, until=end) for name, one in proven.items() if (end := until(one.at)) < one.until}
            if body is None or not long:
                return 0
            connection.execute(update(directory).values(body={**body, "proven": proven_json({**proven, **long})}))
            raise_epoch(connection)
        return len(long)


def _counts(proven: Proven | None) -> tuple[tuple[str, ...], datetime] | None:
    """What of it makes a difference to what the person may read."""
    return (proven.groups, proven.until) if proven is not None and proven.groups else None


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
