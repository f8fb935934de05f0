"""Version numbers, the pointer to the current one, and the hold that a rollback puts on ingestion."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import holds, pointers, versions
from vouch.adapters.ledger.permissions.restrictions import (
    content_ages,
    forget_unused,
    lock_pointers,
    note_rules,
    restrict,
    rules_noted,
)
from vouch.adapters.ledger.permissions.stored_forms import book_of
from vouch.errors import Conflict, Held, NotFound, Usage
from vouch.ports.stores import Restored, VersionRow
from vouch.rules import RuleBook


@dataclass(frozen=True, slots=True)
class Hold:
    """Since `at`, `version` (with the content of version `content_of`) stays current."""

    version: int
    content_of: int
    at: datetime

    def __str__(self) -> str:
        return (f"stopped since {self.at:%Y-%m-%d %H:%M} UTC, when version {self.version} "
                f"brought back the content of version {self.content_of}")


class Holds:
    def __init__(self, database: Database) -> None:
        self._database = database

    def current(self) -> Hold | None:
        with self._database.read() as connection:
            return hold_in_force(connection)

    def check(self) -> None:
        """Raises Held while a hold is in force."""
        with self._database.read() as connection:
            refuse_while_held(connection)

    def release(self) -> Hold:
        """Ends the hold, and returns it. Raises NotFound if there is none."""
        with self._database.write() as connection:
            hold = hold_in_force(connection)
            if hold is None:
                raise NotFound("ingests are not stopped", cure="only vouch versions rollback stops them")
            connection.execute(delete(holds))
        return hold


def hold_in_force(connection: Connection) -> Hold | None:
    row = connection.execute(select(holds.c.version, holds.c.content_of, holds.c.at)).one_or_none()
    return Hold(*row) if row else None


def refuse_while_held(connection: Connection) -> None:
    """Raises Held while a hold is in force."""
    hold = hold_in_force(connection)
    if hold is not None:
        raise Held(f"ingests are {hold}", cure="vouch versions release, then ingest again")


def put_hold(connection: Connection, version: int, content_of: int) -> None:
    """From the end of the transaction on, this hold is in force and no other."""
    connection.execute(delete(holds))
    connection.execute(insert(holds).values(id=1, version=version, content_of=content_of, at=datetime.now(UTC)))


_CURRENT = select(pointers.c.version)           # made once: every look at the index asks for it


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
            number: int | None = connection.execute(_CURRENT).scalar_one()
        return number

    def swap(
        self, expected: int | None, new: int, *, despite_hold: bool = False, restored: Restored | None = None
    ) -> None:
        """Raises Held while a hold is in force, NotFound for a number never given, Usage for one that was given up."""
        with self._database.write() as connection:
            lock_pointers(connection)
            if not despite_hold:
                refuse_while_held(connection)
            _move(connection, expected, new, restored)

    def roll_back(self, expected: int | None, new: int, restored: Restored) -> None:
        """Pointer and hold change together or not at all. Raises what `swap` raises, but for Held."""
        with self._database.write() as connection:
            lock_pointers(connection)
            _move(connection, expected, new, restored)
            put_hold(connection, new, restored.content_of)

    def abandon(self, number: int) -> None:
        """Raises Usage for a version that was published, NotFound for a number never given."""
        with self._database.write() as connection:
            _set_state(connection, number, "abandoned", allowed=("building", "abandoned"))

    def retire(self, number: int) -> None:
        """Raises Usage for the current version and one never published, NotFound for a number never given."""
        with self._database.write() as connection:
            if lock_pointers(connection) == number:
                raise Usage(f"version {number} is the current one and cannot be retired")
            _set_state(connection, number, "retired", allowed=("published", "retired"))
            forget_unused(connection)

    def former_rules(self, number: int) -> dict[str, tuple[RuleBook, ...] | None] | None:
        """See VersionStore."""
        with self._database.read() as connection:
            noted = rules_noted(connection, number)
        if noted is None:
            return None
        return {name: None if books is None else tuple(map(book_of, books)) for name, books in noted.items()}

    def rows(self) -> list[VersionRow]:
        with self._database.read() as connection:
            rows = connection.execute(select(versions).order_by(versions.c.number))
            return [VersionRow(r.number, r.parent, r.state, r.created_at, r.content_of or {}) for r in rows]


def _move(connection: Connection, expected: int | None, new: int, restored: Restored | None) -> None:
    _set_state(connection, new, "published", allowed=("building", "published"))
    moved = connection.execute(
        update(pointers).where(pointers.c.version.is_not_distinct_from(expected)).values(version=new)
    )
    if not moved.rowcount:
        raise Conflict(
            f"version {expected} is no longer the current one; {new} was not published",
            cure="somebody else published first: run the same command again",
        )
    note_rules(connection, expected)
    age = content_ages(connection, expected)
    if restored is not None:
        age = {"": restored.content_of, **content_ages(connection, restored.content_of)}
        restrict(connection, restored.limits)
    connection.execute(update(versions).where(versions.c.number == new).values(content_of=age or None))


def _set_state(connection: Connection, number: int, state: str, *, allowed: tuple[str, ...]) -> None:
    """One statement looks and writes, so that no other transaction comes in between."""
    done = connection.execute(
        update(versions).where(versions.c.number == number, versions.c.state.in_(allowed)).values(state=state)
    )
    if not done.rowcount:
        found = connection.execute(select(versions.c.state).where(versions.c.number == number)).scalar_one_or_none()
        if found is None:
            raise NotFound(f"there is no version {number}", cure="vouch versions list shows them")
        raise Usage(f"version {number} is {found} and cannot be {state}", cure="vouch versions list shows all states")
