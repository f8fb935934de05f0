"""Size and time of files whose hash is known, so that a look at an unchanged folder reads no file."""

from collections.abc import Mapping

from sqlalchemy import delete, insert, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import stat_cache

StatRow = tuple[int, int, str]          # size, mtime in ns, sha256


class StatCache:
    """Not versioned: it says what a file's state stands for, whatever the index holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, source: str) -> dict[str, StatRow]:
        """What is known of the source's files, by path."""
        c = stat_cache.c
        query = select(c.path, c.size, c.mtime_ns, c.hash).where(c.source == source)
        with self._database.read() as connection:
            return {path: (size, mtime_ns, digest) for path, size, mtime_ns, digest in connection.execute(query)}

    def put(self, source: str, rows: Mapping[str, StatRow]) -> None:
        """Replaces all rows of the source."""
        values = [
            {"source": source, "path": path, "size": size, "mtime_ns": mtime_ns, "hash": digest}
            for path, (size, mtime_ns, digest) in rows.items()
        ]
        with self._database.write(f"stat_cache/{source}") as connection:
            connection.execute(delete(stat_cache).where(stat_cache.c.source == source))
            if values:
                connection.execute(insert(stat_cache), values)
