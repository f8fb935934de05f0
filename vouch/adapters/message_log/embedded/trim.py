"""What leaves the embedded log: messages that all their readers have done, and those with words to be forgotten."""

from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from vouch.adapters.filesystem.sqlite_file import scour
from vouch.adapters.message_log.embedded.consumer import COLUMNS, record_of
from vouch.adapters.message_log.embedded.file import LogFile
from vouch.batches import batches
from vouch.messages import DEAD
from vouch.ports.log import Erased, Record

_PAGE = 500


class LogTrim:
    """Implements ports.LogKeeper, beside the readers of the log's file.

    `unread` are topics that need no reader to be done with.
    """

    def __init__(self, path: Path, unread: Collection[str]) -> None:
        self._path = path
        self._unread = frozenset(unread)

    def expired(self, before_ms: int, dead_before_ms: int) -> int:
        """How many messages `expire` would delete."""
        return sum(1 for _ in self._old(before_ms, dead_before_ms))

    def expire(self, before_ms: int, dead_before_ms: int) -> int:
        """Deletes messages sent before then that every group of their topic has committed. How many.

        Messages on a dead topic wait for nobody and have a time of their own.
        A topic that no group ever read keeps its messages, unless it is one of
        the `unread`. Offsets are never given again.
        """
        return self._delete([(r.topic, r.partition, r.offset) for r in self._old(before_ms, dead_before_ms)])

    def erase(self, of_it: Callable[[Record], bool]) -> Erased:
        """What waits to be read is left, and counted."""
        if not self._path.exists():
            return Erased(0)
        done = self._done()
        hits = [record for record in self._records() if of_it(record)]
        gone = self._delete([(r.topic, r.partition, r.offset) for r in hits if done(r)])
        return Erased(gone, len(hits) - gone)

    def scour(self) -> None:
        """Nothing that was deleted is left in the file. Raises Busy."""
        if self._path.exists():
            scour(self._path)

    def _old(self, before_ms: int, dead_before_ms: int) -> Iterator[Record]:
        if not self._path.exists():
            return
        done = self._done()
        for record in self._records():
            before = dead_before_ms if record.topic.endswith(DEAD) else before_ms
            if record.timestamp_ms < before and done(record):
                yield record

    def _done(self) -> Callable[[Record], bool]:
        """Whether nobody is going to read a record any more."""
        with closing(LogFile(self._path)) as file, file.read() as db:
            groups = _groups(db)
            rows = db.execute("SELECT grp, topic, part, off FROM committed")
            committed = {(group, topic, part): off for group, topic, part, off in rows}

        def done(record: Record) -> bool:
            readers = groups.get(record.topic, set())
            if not readers:
                return record.topic in self._unread or record.topic.endswith(DEAD)
            place = record.topic, record.partition
            return all(committed.get((group, *place), 0) > record.offset for group in readers)

        return done

    def _records(self) -> Iterator[Record]:
        """Every message, by topic, partition and offset; writers wait for none of it."""
        query = f"SELECT {COLUMNS} FROM message WHERE (topic, part, off)>(?,?,?) ORDER BY 1, 2, 3 LIMIT {_PAGE}"  # noqa: S608
        position: tuple[str, int, int] = "", -1, -1
        with closing(LogFile(self._path)) as file:
            while True:
                with file.read() as db:
                    rows = db.execute(query, position).fetchall()
                yield from map(record_of, rows)
                if len(rows) < _PAGE:
                    return
                position = rows[-1][:3]

    def _delete(self, places: list[tuple[str, int, int]]) -> int:
        if not places:
            return 0
        with closing(LogFile(self._path)) as file:
            for batch in batches(places, _PAGE):
                with file.write() as db:
                    db.executemany("DELETE FROM message WHERE topic=? AND part=? AND off=?", batch)
        return len(places)


def _groups(db: Any) -> dict[str, set[str]]:
    """Topic → the groups that read it, or ever did."""
    found: dict[str, set[str]] = {}
    for group, topic in db.execute("SELECT DISTINCT grp, topic FROM committed UNION SELECT grp, topic FROM lease"):
        found.setdefault(topic, set()).add(group)
    return found
