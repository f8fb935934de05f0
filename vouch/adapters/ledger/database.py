"""The engine under the ledger: short transactions, waiting writers, one mapping of failures."""

import contextlib
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc, make_url

from vouch.adapters.ledger.failures import as_ours
from vouch.adapters.sqlite_file import scour
from vouch.errors import Busy, Usage

BUSY_MS = 30_000
OVERFLOW = 256                          # a thread has one connection for a moment; none should wait for another's


class Database:
    """Opens lazily. `file` is the SQLite file, None for a server."""

    def __init__(self, url_or_path: str | Path) -> None:
        url = _url(url_or_path)
        self.name = url.render_as_string(hide_password=True)
        self.file = Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None
        try:
            self._engine = create_engine(url, **({"max_overflow": OVERFLOW} if url.database else {}))
        except (exc.ArgumentError, ImportError) as error:
            raise Usage(f"ledger {self.name}: {error}", cure="mend VOUCH_LEDGER__URL or install its driver") from error
        self._writers: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        if self.file is not None:
            self.name = str(self.file)
            self._writers = _Turn(self.name)
            _tame_sqlite(self._engine)

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """A look at one committed state; on SQLite it waits for nobody."""
        with as_ours(self.name), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """All of the block is stored durably, or nothing is. Waits up to 30 s for another writer, then raises Busy."""
        with as_ours(self.name), self._writers, self._engine.connect() as connection:
            connection = connection.execution_options(vouch_write=True)
            with connection.begin():
                yield connection

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
        return make_url(url_or_path)
    except exc.ArgumentError as error:
        raise Usage("the ledger's address cannot be understood", cure="mend VOUCH_LEDGER__URL") from error


def _tame_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None       # the driver's own BEGIN comes too late and is never IMMEDIATE
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA secure_delete=ON")   # what is taken back or expires is not left in free pages
        # NORMAL may lose the last commits in a power cut: an answered question whose offset the
        # log has committed would be gone, and a version number given twice.
        connection.execute("PRAGMA synchronous=FULL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that turns writer can only fail when somebody wrote in between; a writer says so first.
        if connection.get_execution_options().get("vouch_write", False):
            _begin_writing(connection)
        else:
            connection.exec_driver_sql("BEGIN")


class _Turn:
    """The threads of a process write one after the other, so that few compete for SQLite's one write lock."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=BUSY_MS / 1000 or -1):
            raise Busy(f"ledger {self._name}: this process writes to it all the time", cure="try again later")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _begin_writing(connection: Connection) -> None:
    """SQLite's own wait looks ten times a second and knows no queue: whoever writes on and on starves the others."""
    until = time.monotonic() + BUSY_MS / 1000
    connection.exec_driver_sql("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                return
            except exc.OperationalError as error:
                code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
                if code != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
            time.sleep(random.uniform(0.001, 0.004))  # noqa: S311
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_MS}")
