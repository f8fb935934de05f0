"""The engine of a ledger in a SQLite file: durable, and with writers that take turns."""

import random
import sqlite3
import threading
import time
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc

from vouch.adapters.ledger.engine.stored_json import stored_json
from vouch.errors import Busy

BUSY_MS = 30_000
OVERFLOW = 256                          # a thread has one connection for a moment; none should wait for another's


def sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url, json_serializer=stored_json, **({"max_overflow": OVERFLOW} if url.database else {}))

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
            _driver(connection).execute("BEGIN")     # it locks nothing yet, so it cannot fail

    return engine


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


class Turn:
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
