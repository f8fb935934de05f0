"""Version numbers and the pointer to the current one."""

from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select, update

from vouch.adapters.ledger.database import Database
from vouch.adapters.ledger.schema import pointers, versions
from vouch.errors import Conflict, NotFound, Usage
from vouch.ports import VersionRow


class Versions:
    """Implements ports.VersionStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def allocate(self, parent: int | None) -> VersionRow:
        now = datetime.now(UTC)
        with self._database.write() as connection:
            result = connection.execute(insert(versions).values(parent=parent, state="building", created_at=now))
            key = result.inserted_primary_key
        assert key is not None
        return VersionRow(int(key[0]), parent, "building", now)

    def current(self) -> int | None:
        with self._database.read() as connection:
            number: int | None = connection.execute(select(pointers.c.version)).scalar_one()
        return number

    def swap(self, expected: int | None, new: int) -> None:
        """Raises NotFound for a number never given, Usage for one that was abandoned."""
        with self._database.write() as connection:
            state = _state(connection, new)
            if state == "abandoned":
                raise Usage(f"version {new} was abandoned", cure="vouch versions list shows those that can be current")
            moved = connection.execute(
                update(pointers).where(pointers.c.version.is_not_distinct_from(expected)).values(version=new)
            )
            if not moved.rowcount:
                raise Conflict(
                    f"version {expected} is no longer the current one; {new} was not published",
                    cure="somebody else published first: run the same command again",
                )
            connection.execute(update(versions).where(versions.c.number == new).values(state="published"))

    def abandon(self, number: int) -> None:
        """It never becomes current. Raises Usage for a published version, NotFound for a number never given."""
        with self._database.write() as connection:
            if _state(connection, number) == "published":
                raise Usage(f"version {number} is published and cannot be abandoned")
            connection.execute(update(versions).where(versions.c.number == number).values(state="abandoned"))

    def rows(self) -> list[VersionRow]:
        columns = (versions.c.number, versions.c.parent, versions.c.state, versions.c.created_at)
        with self._database.read() as connection:
            return [VersionRow(*row) for row in connection.execute(select(*columns).order_by(versions.c.number))]


def _state(connection: Connection, number: int) -> str:
    state = connection.execute(select(versions.c.state).where(versions.c.number == number)).scalar_one_or_none()
    if state is None:
        raise NotFound(f"there is no version {number}", cure="vouch versions list shows them")
    return str(state)
