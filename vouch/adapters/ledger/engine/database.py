"""The database under the ledger: short transactions, waiting writers, one mapping of failures."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy import URL, Connection, exc, func, make_url, select

from vouch.adapters.filesystem.sqlite_file import scour
from vouch.adapters.ledger.engine.failures import as_ours
from vouch.adapters.ledger.engine.postgres_engine import postgres_engine, take_turn
from vouch.adapters.ledger.engine.sqlite_engine import Turn, sqlite_engine
from vouch.errors import Usage
from vouch.extras import need

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
            need("postgres", "VOUCH_LEDGER__URL with PostgreSQL")
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
