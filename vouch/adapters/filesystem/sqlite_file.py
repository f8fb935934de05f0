"""A SQLite file from outside: what it holds, value by value, and how to leave nothing deleted in it."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from vouch.errors import Busy, Damaged, Unavailable, VouchError

_HEADER = b"SQLite format 3\0"
_WAIT_S = 30.0


def is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


def values(path: Path) -> Iterator[bytes]:
    """Every text and blob in every table. Raises Busy, Damaged or Unavailable."""
    try:
        with closing(sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, timeout=_WAIT_S)) as db:
            db.text_factory = bytes
            tables = db.execute("SELECT name FROM sqlite_master WHERE type='table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
            for (table,) in tables.fetchall():
                name = table.decode().replace('"', '""')
                for row in db.execute(f'SELECT * FROM "{name}"'):  # noqa: S608
                    yield from (value for value in row if isinstance(value, bytes))
    except sqlite3.Error as error:
        raise _ours(path, error) from error


def keep_write_ahead_log(connection: sqlite3.Connection) -> None:
    """From now on the file has a write-ahead log. SQLite itself does not wait for a lock here, as it does elsewhere."""
    end = time.monotonic() + _WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.02)


def scour(path: Path) -> None:
    """Nothing that was deleted is left in the file, nor beside it in its log of changes.

    Raises Busy while another process holds a look at an older state open.
    """
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as db:
            db.execute("PRAGMA secure_delete=ON")
            db.execute("VACUUM")
            busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error as error:
        raise _ours(path, error) from error
    if busy:
        raise Busy(f"{path} is being read", cure="wait for the other process or stop it, then run again")


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _ours(path: Path, error: sqlite3.Error) -> VouchError:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy(f"{path}: {error}", cure="wait for the other process, then run again")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return Damaged(f"{path}: {error}", cure="restore it from a backup")
    return Unavailable(f"{path}: {error}", cure="check disk space and the permissions of the folder")
