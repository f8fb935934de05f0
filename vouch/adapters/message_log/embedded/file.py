"""The SQLite file under the embedded log, its tables, transactions and failures, and what wakes those who read it."""

import contextlib
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from vouch.adapters.filesystem.sqlite_file import keep_write_ahead_log
from vouch.errors import Damaged, LogDown, Usage, VouchError

FORMAT = 1
_WAIT_S = 30.0
_TABLES = """
CREATE TABLE topic(name TEXT PRIMARY KEY, partitions INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE message(topic TEXT, part INTEGER, off INTEGER, key BLOB NOT NULL, value BLOB NOT NULL,
  headers TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY(topic, part, off));
CREATE TABLE head(topic TEXT, part INTEGER, next INTEGER NOT NULL, PRIMARY KEY(topic, part)) WITHOUT ROWID;
CREATE TABLE committed(grp TEXT, topic TEXT, part INTEGER, off INTEGER NOT NULL,
  PRIMARY KEY(grp, topic, part)) WITHOUT ROWID;
CREATE TABLE member(grp TEXT, name TEXT, topics TEXT NOT NULL, until REAL NOT NULL,
  PRIMARY KEY(grp, name)) WITHOUT ROWID;
CREATE TABLE lease(grp TEXT, topic TEXT, part INTEGER, member TEXT NOT NULL, until REAL NOT NULL,
  PRIMARY KEY(grp, topic, part)) WITHOUT ROWID;
CREATE TABLE generation(grp TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
"""


class LogFile:
    """One connection; threads take turns. Every failure of SQLite is raised as LogDown or Damaged.

    `durable`: what is written here outlives a power cut and not only a crash.
    Messages must. Offsets and leases need not: what is lost of them is read again.
    """

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self._path = path
        self._durable = durable
        self._turn = threading.RLock()
        with self._ours():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        self._db.execute(f"PRAGMA synchronous={'FULL' if self._durable else 'NORMAL'}")
        self._db.execute("PRAGMA secure_delete=ON")
        if self._format() == 0:
            keep_write_ahead_log(self._db)
            with self.write():
                if self._format() == 0:
                    for statement in filter(str.strip, _TABLES.split(";")):
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA user_version={FORMAT}")
        if self._format() != FORMAT:
            raise Usage(f"{self._path} has log format {self._format()}, known is {FORMAT}", cure="run the newer vouch")

    def _format(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """All of the block is stored durably, or nothing is."""
        with self._transaction("BEGIN IMMEDIATE") as db:
            yield db

    @contextlib.contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent look; waits for nobody."""
        with self._transaction("BEGIN") as db:
            yield db

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._turn, self._ours():
            self._db.execute(begin)
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _ours(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise as_ours(self._path, error) from error
        except OSError as error:
            raise LogDown(f"log {self._path}: {error.strerror}", cure="check the folder and its permissions") from error

    def close(self) -> None:
        with self._turn, self._ours():
            self._db.close()


def as_ours(path: Path, error: sqlite3.Error) -> VouchError:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return Damaged(f"log {path}: {error}", cure="restore a backup, or move it away and lose unread messages")
    return LogDown(f"log {path}: {error}", cure="check disk space, permissions, and that no process holds it locked")


class Bells:
    """What wakes readers in the process that sends. Threads share it.

    Other processes are not heard: who waits still looks from time to time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_topic: dict[str, set[threading.Event]] = defaultdict(set)

    def listen(self, topics: Iterable[str]) -> threading.Event:
        """What is set after each message to one of the topics, until `forget`; who waits clears it before looking."""
        bell = threading.Event()
        with self._lock:
            for topic in topics:
                self._by_topic[topic].add(bell)
        return bell

    def forget(self, bell: threading.Event) -> None:
        with self._lock:
            for listening in self._by_topic.values():
                listening.discard(bell)

    def ring(self, topic: str) -> None:
        """To be called once the message can be read."""
        with self._lock:
            listening = tuple(self._by_topic.get(topic, ()))
        for bell in listening:
            bell.set()
