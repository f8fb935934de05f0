"""The message log in one SQLite file: topics, partitions, groups, offsets, leases. For processes of one machine."""

import contextlib
import json
import time
import uuid
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

from vouch.adapters.message_log.embedded.consumer import COLUMNS, EmbeddedConsumer, EmbeddedFollower, record_of
from vouch.adapters.message_log.embedded.file import Bells, LogFile
from vouch.adapters.message_log.embedded.group import Alive, Member, gone, partitions, raise_generation, set_committed
from vouch.ports.log import Record

_PAGE = 256


class EmbeddedLog:
    """Implements ports.Log. `partitions` counts for topics that do not exist yet.

    A member that is silent for `lease_seconds` loses its partitions. A thread
    renews the lease during long work, but only until `hold_seconds` after the
    last poll, commit or renew: a handler that hangs blocks nobody for ever.
    What it sends wakes members that wait in this process; those of others look twenty times a second.
    """

    def __init__(
        self,
        path: Path,
        partitions: int = 4,
        lease_seconds: float = 30.0,
        clock: Callable[[], float] = time.time,
        hold_seconds: float = 300.0,
    ) -> None:
        self.path = Path(path)
        self._partitions = partitions
        self._lease = lease_seconds
        self._hold = hold_seconds
        self._clock = clock
        self._bells = Bells()

    def producer(self, *, durable: bool = True) -> "EmbeddedProducer":
        return EmbeddedProducer(LogFile(self.path, durable=durable), self._partitions, self._clock, self._bells)

    def follow(self, topics: Sequence[str]) -> EmbeddedFollower:
        return EmbeddedFollower(LogFile(self.path, durable=False), topics)

    def consumer(self, group: str, topics: Sequence[str]) -> "EmbeddedConsumer":
        name = uuid.uuid4().hex
        member = Member(group, name, tuple(topics), self._lease, self._partitions, partial(gone, self.path))
        file = LogFile(self.path, durable=False)            # makes the folder
        return EmbeddedConsumer(file, member, self._clock, self._hold, Alive(self.path, name), self._bells)

    def lag(self, group: str, topic: str) -> int:
        return sum(self.lags(group, topic).values())

    def lags(self, group: str, topic: str) -> dict[int, int]:
        with self._open() as file, file.read() as db:
            rows = db.execute(
                "SELECT h.part, h.next - COALESCE(c.off, 0) FROM head h LEFT JOIN committed c"
                " ON c.grp=? AND c.topic=h.topic AND c.part=h.part WHERE h.topic=? ORDER BY h.part",
                (group, topic),
            ).fetchall()
        return {int(part): int(waiting) for part, waiting in rows}

    def read(self, topic: str) -> Iterator[Record]:
        query = f"SELECT {COLUMNS} FROM message WHERE topic=? AND (part, off)>(?,?) ORDER BY part, off LIMIT {_PAGE}"  # noqa: S608
        place = (-1, -1)
        with self._open() as file:
            while True:
                with file.read() as db:
                    rows = db.execute(query, (topic, *place)).fetchall()
                yield from map(record_of, rows)
                if len(rows) < _PAGE:
                    return
                place = (rows[-1][1], rows[-1][2])

    def discard(self, topic: str, places: Collection[tuple[int, int]]) -> None:
        with self._open() as file, file.write() as db:
            gone = [(topic, part, offset) for part, offset in places]
            db.executemany("DELETE FROM message WHERE topic=? AND part=? AND off=?", gone)

    def replay(self, group: str, topic: str, offset: int = 0) -> None:
        """The group reads every partition of the topic again from `offset`. Members lose what they hold of it."""
        with self._open() as file, file.write() as db:
            for part in range(partitions(db, topic, self._partitions)):
                set_committed(db, group, (topic, part), offset)
            db.execute("DELETE FROM lease WHERE grp=? AND topic=?", (group, topic))
            raise_generation(db, group)

    @contextlib.contextmanager
    def _open(self) -> Iterator[LogFile]:
        file = LogFile(self.path)
        try:
            yield file
        finally:
            file.close()


class EmbeddedProducer:
    """Threads may share it."""

    def __init__(self, file: LogFile, partitions: int, clock: Callable[[], float], bells: Bells) -> None:
        self._file = file
        self._partitions = partitions
        self._clock = clock
        self._bells = bells

    def send(
        self, topic: str, key: bytes, value: bytes, headers: Sequence[tuple[str, bytes]] = ()
    ) -> tuple[int, int]:
        packed = json.dumps([(name, data.hex()) for name, data in headers])
        with self._file.write() as db:
            # crc32 is equal in every process, unlike hash().
            part = zlib.crc32(key) % partitions(db, topic, self._partitions)
            offset = int(
                db.execute(
                    "INSERT INTO head VALUES(?,?,1) ON CONFLICT DO UPDATE SET next=next+1 RETURNING next-1",
                    (topic, part),
                ).fetchone()[0]
            )
            db.execute(
                "INSERT INTO message VALUES(?,?,?,?,?,?,?)",
                (topic, part, offset, key, value, packed, int(self._clock() * 1000)),
            )
        self._bells.ring(topic)
        return part, offset

    def close(self) -> None:
        self._file.close()
