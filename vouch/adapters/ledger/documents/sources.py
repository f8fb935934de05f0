"""The sources that were added, and the size and time of their files whose hash is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import restrictions, rulebooks, sources, stat_cache
from vouch.adapters.ledger.permissions.restrictions import lock_pointers, raise_epoch
from vouch.errors import NotFound, Usage


@dataclass(frozen=True, slots=True)
class SourceRow:
    """`access_path` None: no rules, so nobody reads. `include` and `exclude` are patterns as of a .gitignore.

    `generation` tells it from sources that had its name before: what they left in versions stays hidden.
    """

    name: str
    kind: str
    path: str
    access_path: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    generation: str = ""


class Sources:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, row: SourceRow) -> None:
        """Raises Usage when the name is taken."""
        with self._database.write("sources") as connection:
            lock_pointers(connection)
            if connection.execute(select(sources.c.name).where(sources.c.name == row.name)).first():
                raise Usage(f"there is a source {row.name!r} already", cure=f"choose another name; "
                            f"vouch source set {row.name} changes that one, vouch source remove {row.name} removes it")
            connection.execute(insert(sources).values(_values(row)))
            raise_epoch(connection)     # permissions hold the generation

    def list(self) -> list[SourceRow]:
        """All sources by name."""
        with self._database.read() as connection:
            rows = [_row(row) for row in connection.execute(select(sources))]
        return sorted(rows, key=lambda row: row.name)       # not by the rules of the server's language

    def get(self, name: str) -> SourceRow:
        """Raises NotFound."""
        with self._database.read() as connection:
            row = connection.execute(select(sources).where(sources.c.name == name)).first()
        if row is None:
            raise NotFound(f"there is no source {name!r}", cure="vouch source list shows them")
        return _row(row)

    def replace(self, row: SourceRow) -> None:
        """The source of that name is `row` from now on; nothing is remembered of its files. Raises NotFound."""
        with self._database.write("sources") as connection:
            lock_pointers(connection)
            if not connection.execute(update(sources).where(sources.c.name == row.name).values(_values(row))).rowcount:
                raise NotFound(f"there is no source {row.name!r}", cure="vouch source list shows them")
            connection.execute(delete(stat_cache).where(stat_cache.c.source == row.name))
            raise_epoch(connection)

    def set_access(self, name: str, access_path: str) -> None:
        """From now on the rules are read from there. Raises NotFound."""
        change = update(sources).where(sources.c.name == name).values(access_path=access_path)
        with self._database.write("sources") as connection:
            lock_pointers(connection)
            if not connection.execute(change).rowcount:
                raise NotFound(f"there is no source {name!r}", cure="vouch source list shows them")
            raise_epoch(connection)     # for whoever keeps what it read last

    def remove(self, name: str) -> None:
        """Its rules go with it, so that nobody reads its documents from now on. Raises NotFound."""
        with self._database.write("access") as connection:
            lock_pointers(connection)
            if not connection.execute(delete(sources).where(sources.c.name == name)).rowcount:
                raise NotFound(f"there is no source {name!r}", cure="vouch source list shows them")
            connection.execute(delete(stat_cache).where(stat_cache.c.source == name))
            connection.execute(delete(restrictions).where(restrictions.c.source == name))
            connection.execute(delete(rulebooks).where(rulebooks.c.source == name))
            raise_epoch(connection)


def _values(row: SourceRow) -> dict[str, Any]:
    options = {"include": list(row.include), "exclude": list(row.exclude), "generation": row.generation}
    told = {key: value for key, value in options.items() if value}
    return {
        "name": row.name, "kind": row.kind, "path": row.path, "access_path": row.access_path, "options": told or None,
    }  # fmt: skip


def _row(found: Any) -> SourceRow:
    options: Mapping[str, Any] = found.options or {}
    return SourceRow(
        found.name, found.kind, found.path, found.access_path,
        tuple(options.get("include", ())), tuple(options.get("exclude", ())), str(options.get("generation", "")),
    )  # fmt: skip


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
