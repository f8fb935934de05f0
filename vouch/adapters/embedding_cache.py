"""Every vector ever computed, in one SQLite file, so that none is computed twice.

A vector belongs to an encoder fingerprint and the key of its exact input.
What `put` returned from survives the death of the process; several processes
may share the file.
"""

import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.filesystem.sqlite_file import keep_write_ahead_log, scour
from vouch.batches import batches
from vouch.errors import BadInput, Busy, Damaged, NotFound, Unavailable

_BATCH = 500
_TABLE = """
CREATE TABLE IF NOT EXISTS embeddings (
    encoder TEXT NOT NULL, key BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (encoder, key)
) WITHOUT ROWID
"""


class EmbeddingCache:
    """The vectors of one encoder. The file is opened at the first call; threads may share one cache."""

    def __init__(self, path: Path, encoder: str, dimensions: int) -> None:
        self._path = path
        self._encoder = encoder
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Those of `keys` that have no vector yet, once each, in the order given."""
        wanted = list(dict.fromkeys(keys))
        found = self._found(wanted, "key")
        return [key for key in wanted if key not in found]

    def put(self, keys: Sequence[bytes], vectors: NDArray[np.floating[Any]]) -> None:
        """Keeps `vectors` (len(keys), dimensions) as float16. A key that has a vector keeps the one it has."""
        if vectors.shape != (len(keys), self._dimensions) or not np.isfinite(vectors).all():
            raise BadInput(
                f"vectors of shape {vectors.shape} for {len(keys)} texts of {self._dimensions} dimensions",
                cure="the encoder must give one finite vector per text",
            )
        rows = [(self._encoder, key, row.tobytes()) for key, row in zip(keys, vectors.astype("<f2"), strict=True)]
        with self._open() as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", rows)

    def get(self, keys: Sequence[bytes]) -> NDArray[np.float16]:
        """float16, shape (len(keys), dimensions), in the order of `keys`. Raises NotFound or Damaged."""
        bytes_by_key = self._found(list(dict.fromkeys(keys)), "key, vector")
        gone = sum(key not in bytes_by_key for key in keys)
        if gone:
            raise NotFound(f"{gone} of {len(keys)} vectors are not in {self._path}", cure="embed them first")
        if any(len(bytes_by_key[key]) != 2 * self._dimensions for key in keys):
            raise self._damage("a vector has another length")
        vectors = np.frombuffer(b"".join(bytes_by_key[key] for key in keys), "<f2")
        if not np.isfinite(vectors).all():
            raise self._damage("a vector is not finite")
        return vectors.reshape(len(keys), self._dimensions).astype(np.float16)

    def keep_only(self, keys: Collection[bytes]) -> int:
        """Deletes what belongs to no key of `keys`, of every encoder, and leaves nothing of it in the file. How many.

        Raises Busy while another process reads or writes.
        """
        with self._open() as connection, connection:
            connection.execute("PRAGMA temp_store=MEMORY")
            connection.execute("CREATE TEMP TABLE kept (key BLOB PRIMARY KEY) WITHOUT ROWID")
            connection.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keys))
            gone = connection.execute("DELETE FROM embeddings WHERE key NOT IN (SELECT key FROM kept)").rowcount
            connection.execute("DROP TABLE kept")
        self.close()
        scour(self._path)
        return gone

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _found(self, keys: list[bytes], columns: str) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with self._open() as connection:
            for batch in batches(keys, _BATCH):
                marks = ",".join("?" * len(batch))
                query = f"SELECT {columns} FROM embeddings WHERE encoder = ? AND key IN ({marks})"  # noqa: S608
                found.update((row[0], row[-1]) for row in connection.execute(query, (self._encoder, *batch)))
        return found

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                yield self._connection
            except sqlite3.OperationalError as error:
                if "locked" in str(error) or "busy" in str(error):
                    raise Busy(f"{self._path}: {error}", cure="another process writes to it; try again") from error
                raise Unavailable(f"{self._path}: {error}", cure="check the folder and the disk") from error
            except sqlite3.DatabaseError as error:
                raise self._damage(str(error)) from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
        try:
            keep_write_ahead_log(connection)
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute(_TABLE)
            connection.commit()
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _damage(self, what: str) -> Damaged:
        return Damaged(f"{self._path}: {what}", cure="delete the file; the vectors are computed again")
