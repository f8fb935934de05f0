"""The database under the ledger: short transactions, waiting writers, failures as ours, moments."""

import contextlib
import logging
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, DateTime, Dialect, TypeDecorator, exc, func, make_url, select

from vouch.adapters.filesystem.sqlite_file import scour
from vouch.adapters.ledger.engine.postgres_engine import postgres_engine, take_turn
from vouch.adapters.ledger.engine.sqlite_engine import Turn, sqlite_engine
from vouch.errors import BadInput, Busy, Conflict, Damaged, LedgerDown, Usage, VouchError
from vouch.extras import require

_log = logging.getLogger(__name__)
_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}  # the last: a table is gone
_POSTGRES_BUSY = {"40001", "40P01", "55P03"}   # serialization failure, deadlock, lock not available
_POSTGRES_DAMAGED = {"XX001", "XX002", "42P01"}    # data corrupted, index corrupted, a table is gone
_POSTGRES_RIGHTS = {"42501"}                   # an administrator can grant them while we wait

_UNKNOWN_PARAMETER = "invalid connection option"     # as libpq says it, without a code

_DOWN = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.DisconnectionError)


@contextlib.contextmanager
def as_ours(name: str) -> Iterator[None]:
    """Inside, every error of SQLAlchemy becomes one of ours.

    Only what waiting may fix is LedgerDown or Busy: a caller pauses on those,
    and must not pause for ever on a value that can never be stored.
    """
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise translate(name, error) from error


def translate(name: str, error: exc.SQLAlchemyError) -> VouchError:
    # The driver's own words: SQLAlchemy's repeat the statement with its values.
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines() or [type(cause).__name__]
    text = f"ledger {name}: {lines[0]}"
    if isinstance(error, exc.IntegrityError | exc.DataError):
        _log.info("%s", text)           # whoever asked is told of these, and should not learn where the ledger is
    code = (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF
    state = getattr(cause, "sqlstate", None)
    if code in _SQLITE_BUSY or state in _POSTGRES_BUSY or isinstance(error, exc.TimeoutError):
        return Busy(text, cure="wait for the other process, then try again")
    if code in _SQLITE_DAMAGED or state in _POSTGRES_DAMAGED:
        return Damaged(text, cure="restore the ledger from a backup")
    if state in _POSTGRES_RIGHTS:
        return LedgerDown(text, cure="give the user of VOUCH_LEDGER__URL the right to make tables and to change them")
    if isinstance(error, exc.IntegrityError):
        return Conflict("somebody else wrote the same into the ledger", cure="look again before trying again")
    if isinstance(error, exc.DataError):
        return BadInput("the ledger cannot hold one of the values", cure="fix the value")
    if isinstance(error, _DOWN):
        file = isinstance(cause, sqlite3.Error)
        on_disk = "check free disk space and the permissions of the folder"
        on_a_server = "check that it runs and accepts this user and password"
        return LedgerDown(text, cure=on_disk if file else on_a_server)
    if _UNKNOWN_PARAMETER in lines[0]:
        return Usage(text, cure="fix VOUCH_LEDGER__URL: after the ? come parameters of libpq")
    return VouchError(text, cure="this is a fault of vouch; please report it")


_SERVERS = ("postgresql", "postgresql+psycopg")


class Database:
    """Opens lazily. `file` is the SQLite file, None for a server."""

    def __init__(self, url_or_path: str | Path) -> None:
        url = _url(url_or_path)
        self.name = _shown(url)
        self.file = Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None
        self._writers: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        self._server = url.drivername in _SERVERS
        if self._server:
            require("postgres", "VOUCH_LEDGER__URL with PostgreSQL")
        try:
            self._engine = postgres_engine(url) if self._server else sqlite_engine(url)
        except (exc.ArgumentError, ImportError) as error:
            cure = 'fix VOUCH_LEDGER__URL, or install its driver completely: pip install "vouch[postgres]"'
            raise Usage(f"ledger {self.name}: {error}", cure=cure) from error
        self._reader = self._engine
        self._clock = partial(datetime.now, UTC)
        if self._server:
            self._reader = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        if self.file is not None:
            self.name = str(self.file)
            self._writers = Turn(self.name)

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """A look at one committed state; it waits for nobody."""
        with as_ours(self.name), self._reader.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def write(self, turn: str = "") -> Iterator[Connection]:
        """All of the block is stored durably, or nothing is. Waits up to 30 s for another writer, then raises Busy.

        In a SQLite file all writers come one after the other. On a server
        those do that name the same `turn`: who looks first and then writes
        what depends on it needs one, or locks the rows it looks at.

        LedgerDown at the end leaves it open whether the block was stored:
        the connection may have been lost behind the commit.
        """
        with as_ours(self.name), self._writers, self._engine.connect() as connection:
            connection = connection.execution_options(vouch_write=True)
            with connection.begin():
                if turn and self._server:
                    take_turn(connection, turn)
                yield connection

    def behind(self, connection: Connection) -> timedelta:
        """How far this machine's clock is behind the server's, in whole seconds; nothing for a file, on one machine.

        What processes of several machines compare is written and judged by the
        server's clock. A round trip is no difference of clocks, hence the seconds.
        """
        if not self._server:
            return timedelta(0)
        theirs = connection.execute(select(func.clock_timestamp())).scalar_one()
        return timedelta(seconds=round((theirs - self._clock()).total_seconds()))

    def scour(self) -> None:
        """Nothing that was deleted is left in a SQLite file; a server is left to itself. Raises Busy."""
        if self.file is not None:
            scour(self.file)

    def close(self) -> None:
        self._engine.dispose()


def _url(url_or_path: str | Path) -> URL:
    if isinstance(url_or_path, Path) or "://" not in url_or_path:
        return URL.create("sqlite", database=str(Path(url_or_path).absolute()))
    try:
        url = make_url(url_or_path)
    except (exc.ArgumentError, ValueError):             # whose words may hold a part of the password
        raise Usage(
            "the ledger's address cannot be understood",
            cure="fix VOUCH_LEDGER__URL; in a password write @ as %40 and ? as %3F",
        ) from None
    if url.get_backend_name() == "sqlite":
        if url.database in (None, "", ":memory:") or "mode" in url.query:
            raise Usage("a ledger in memory would forget everything at once", cure="name a file: sqlite:////PATH")
    elif url.drivername not in _SERVERS:
        raise Usage(
            f"ledger {_shown(url)}: not a kind of ledger that vouch knows",
            cure="set VOUCH_LEDGER__URL to sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE",
        )
    return url


def _shown(url: URL) -> str:
    """Without the password, and without parameters, among which there may be another."""
    return url.set(query={}).render_as_string(hide_password=True)


class UtcDateTime(TypeDecorator[datetime]):
    """A timezone-aware moment, stored and returned in UTC. SQLite itself keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment without a time zone: {value}")
        moment: datetime = value.astimezone(UTC)
        return moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
