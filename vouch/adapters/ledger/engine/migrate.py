"""Brings a ledger to the tables this code knows. Alembic is imported only when there is something to do."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from vouch.adapters.filesystem.sqlite_file import keep_write_ahead_log
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import HEAD
from vouch.errors import Busy, LedgerDown, Usage

SCRIPTS = Path(__file__).resolve().parents[4] / "migrations"
_WAIT_S = 60.0
_LOCK_KEY = 0x766F756368                # of the advisory lock on PostgreSQL: "vouch"


def bring_to_head(database: Database) -> None:
    """Afterwards the tables are those of `HEAD`, whoever else does the same at the same time.

    A killed migration leaves the ledger as it was. Raises Usage for a ledger
    that a newer vouch has written.
    """
    with _alone(database.file):
        with database.read() as connection:
            current = revision(connection)
        if current == HEAD:
            return
        if database.file is not None:
            _to_wal(database)
        with database.write() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
            current = revision(connection)
            if current is not None and current > HEAD:
                raise Usage(
                    f"ledger {database.name} has revision {current}, this vouch knows up to {HEAD}",
                    cure="run the newer vouch that wrote it",
                )
            if current != HEAD:
                upgrade(connection, HEAD)


def revision(connection: Connection) -> str | None:
    """The newest migration the database has seen; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def upgrade(connection: Connection, target: str) -> None:
    """Runs the migrations up to `target` inside the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _to_wal(database: Database) -> None:
    with database.read() as connection:
        # Outside of a transaction: SQLite refuses the change within one.
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("COMMIT")
        keep_write_ahead_log(driver)
        driver.execute("BEGIN")


@contextlib.contextmanager
def _alone(file: Path | None) -> Iterator[None]:
    """One process at a time opens this SQLite file; SQLite does not queue the switch to WAL by itself."""
    if file is None:
        yield
        return
    import fcntl

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = file.with_name(file.name + ".lock").open("a")
    except OSError as error:
        raise LedgerDown(f"ledger {file}: {error.strerror}", cure="check the folder and its permissions") from error
    with handle:
        end = time.monotonic() + _WAIT_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > end:
                    raise Busy(f"ledger {file} is being migrated", cure="wait for the other process") from error
                time.sleep(0.01)
        yield
