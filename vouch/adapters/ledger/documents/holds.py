"""The hold that a rollback puts on ingestion, until somebody releases it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import holds
from vouch.errors import Held, NotFound


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
