"""Size and time of files whose hash is known, so that a look at an unchanged folder reads no file."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import Delete, bindparam, delete, insert, select

from vouch.adapters.ledger.database import Database
from vouch.adapters.ledger.schema import stat_cache


class StatEntry(NamedTuple):
    """`cached_at` is in ns as well: a file touched after it, or just before, must be read to be sure."""

    size: int
    mtime_ns: int
    hash: str
    cached_at: int


class StatCache:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, source: str) -> dict[str, StatEntry]:
        """What is known of the source's files, by path."""
        c = stat_cache.c
        query = select(c.path, c.size, c.mtime_ns, c.hash, c.cached_at).where(c.source == source)
        with self._database.read() as connection:
            return {row[0]: StatEntry(*row[1:]) for row in connection.execute(query)}

    def put(self, source: str, entries: Mapping[str, tuple[int, int, str, int]]) -> None:
        """Adds or replaces the entries of these paths."""
        rows = [
            {"source": source, "path": path} | StatEntry(*entry)._asdict() for path, entry in entries.items()
        ]
        if rows:
            with self._database.write() as connection:
                connection.execute(_of_path(), [{"s": source, "p": row["path"]} for row in rows])
                connection.execute(insert(stat_cache), rows)

    def forget(self, source: str, paths: Iterable[str] | None = None) -> None:
        """Drops the entries of these paths, of the whole source when none are named."""
        with self._database.write() as connection:
            if paths is None:
                connection.execute(delete(stat_cache).where(stat_cache.c.source == source))
            elif keys := [{"s": source, "p": path} for path in paths]:
                connection.execute(_of_path(), keys)


def _of_path() -> Delete:
    return delete(stat_cache).where(stat_cache.c.source == bindparam("s"), stat_cache.c.path == bindparam("p"))
