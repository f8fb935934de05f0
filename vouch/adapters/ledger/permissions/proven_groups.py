"""Groups that people were proven to be in when they came, kept beside the directory that was loaded."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update

from vouch.access import Proven
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import directory
from vouch.adapters.ledger.permissions.directory_json import proven_json, proven_of
from vouch.adapters.ledger.permissions.epochs import lock_pointers, raise_epoch


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
            proven = {name: one for name, one in proven.items() if name in body["people"] or one.until > at}
            proven[person] = new
            connection.execute(update(directory).values(body={**body, "proven": proven_json(proven)}))
            if _counts(known) != _counts(new):
                raise_epoch(connection)
        return True


def _counts(proven: Proven | None) -> tuple[tuple[str, ...], datetime] | None:
    """What of it makes a difference to what the person may read."""
    return (proven.groups, proven.until) if proven is not None and proven.groups else None
