"""Readers of the embedded log: a member of a group, and one that follows without joining."""

import json
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from vouch.adapters.message_log.embedded.file import Bells, LogFile
from vouch.adapters.message_log.embedded.group import Alive, Assignment, Member, Place, generation, set_committed
from vouch.errors import VouchError
from vouch.ports.log import Record

COLUMNS = "topic, part, off, key, value, headers, at_ms"
_FIRST_S, _LONGEST_S = 0.002, 0.05      # between two looks for what other processes send
_log = logging.getLogger(__name__)


class EmbeddedConsumer:
    """One member. poll, commit, renew and seek belong to one thread; the heartbeat has its own."""

    def __init__(
        self, file: LogFile, member: Member, clock: Callable[[], float], hold: float, alive: Alive, bells: Bells
    ) -> None:
        self._file = file
        self._member = member
        self._alive = alive
        self._clock = clock
        self._hold = hold
        self._held: dict[Place, Assignment] = {}
        self._turn = threading.RLock()
        self._generation = -1
        self._owes = False
        self._tended = self._active = clock()
        self._last: Place | None = None
        self._bells, self._bell = bells, bells.listen(member.topics)
        self._closed = threading.Event()
        self._heart = threading.Thread(target=self._beat, name=f"log-{member.group}", daemon=True)
        self._heart.start()

    def poll(self, timeout_s: float) -> Record | None:
        end, pause = time.monotonic() + timeout_s, _FIRST_S
        while True:
            self._bell.clear()
            with self._turn:
                self._active = self._clock()
                record = self._next()
            left = end - time.monotonic()
            if record is not None or left <= 0:
                return record
            self._bell.wait(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_S)

    def commit(self, record: Record) -> bool:
        place = (record.topic, record.partition)
        with self._turn:
            with self._file.write() as db:
                now = self._active = self._clock()
                holding = self._holding(db, record, now)
                if holding is None:
                    return False
                done = max(holding.committed, record.offset + 1)
                set_committed(db, self._member.group, place, done)
            holding.committed = done
            if self._owes:
                self._tended = float("-inf")
        return True

    def holds(self, record: Record) -> bool:
        with self._turn, self._file.read() as db:
            return self._holding(db, record, self._clock()) is not None

    def renew(self) -> None:
        with self._turn:
            self._active = self._clock()
            if self._active - self._tended >= self._member.lease / 3:
                self._tend()

    def seek(self, topic: str, partition: int, offset: int) -> bool:
        place = (topic, partition)
        with self._turn:
            with self._file.write() as db:
                if place not in self._held or not self._member.holds(db, place, self._clock()):
                    return False
                set_committed(db, self._member.group, place, offset)
            self._held[place] = Assignment(offset, offset)
        return True

    def close(self) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        self._bells.forget(self._bell)
        self._heart.join()
        with self._turn:
            self._held.clear()
            try:
                with self._file.write() as db:
                    self._member.leave(db)
            finally:
                self._alive.end()
                self._file.close()

    def _holding(self, db: sqlite3.Connection, record: Record, now: float) -> Assignment | None:
        """That of the record's partition, if it is the one the record was read in; else it is read again."""
        place = (record.topic, record.partition)
        holding = self._held.get(place)
        if holding is not None and record.offset < holding.position and self._member.holds(db, place, now):
            return holding
        self._held.pop(place, None)
        self._generation = -1           # at the next look, what is ours still begins where it is committed
        return None

    def _next(self) -> Record | None:
        if self._clock() - self._tended >= self._member.lease / 3:
            self._tend()
        for _ in range(2):
            with self._file.read() as db:
                # An equal generation means that nobody took anything since: what is held is still ours.
                if generation(db, self._member.group) == self._generation:
                    return self._read(db)
            self._tend()
        return None

    def _read(self, db: sqlite3.Connection) -> Record | None:
        for place in self._in_turn():
            holding = self._held[place]
            row = None if holding.owed else self._row(db, place, holding.position)
            if row is not None:
                holding.position, holding.read_at = row[2] + 1, self._clock()
                self._last = place
                return record_of(row)
        return None

    def _row(self, db: sqlite3.Connection, place: Place, offset: int) -> Any:
        return db.execute(
            f"SELECT {COLUMNS} FROM message WHERE topic=? AND part=? AND off>=? ORDER BY off LIMIT 1",  # noqa: S608
            (*place, offset),
        ).fetchone()

    def _in_turn(self) -> list[Place]:
        """Held partitions, the one read last at the end, so that a full one starves no other."""
        places = sorted(self._held)
        after = sum(place <= self._last for place in places) if self._last else 0
        return places[after:] + places[:after]

    def _tend(self) -> None:
        known, self._generation = self._held, -1
        self._held = {}                 # should the write fail, nothing is held until one succeeds
        with self._file.write() as db:
            now = self._clock()         # after the wait for the lock, which may take the lease's length
            number, owes = self._member.tend(db, known, now, self._hold)
        self._held, self._generation, self._owes, self._tended = known, number, owes, now

    def _beat(self) -> None:
        while not self._closed.wait(self._member.lease / 3):
            with self._turn:
                try:
                    self._renew_or_leave()
                except VouchError as error:
                    _log.warning("log group %s: lease not renewed: %s", self._member.group, error)

    def _renew_or_leave(self) -> None:
        if self._clock() - self._active < self._hold:
            self._tend()
        elif self._held:
            _log.error("log group %s: no poll for %.0f s, partitions given up", self._member.group, self._hold)
            self._held.clear()
            with self._file.write() as db:
                self._member.leave(db)


def record_of(row: Any) -> Record:
    topic, part, offset, key, value, headers, at_ms = row
    unpacked = tuple((name, bytes.fromhex(data)) for name, data in json.loads(headers))
    return Record(topic, part, offset, key, value, unpacked, at_ms)


_PAGE = 100


class EmbeddedFollower:
    """Implements ports.Follower. One thread works it."""

    def __init__(self, file: LogFile, topics: Sequence[str]) -> None:
        self._file = file
        self._topics = topics
        self._ahead: deque[Record] = deque()
        self._next = self._heads()

    def poll(self, timeout_s: float) -> Record | None:
        end, pause = time.monotonic() + timeout_s, _FIRST_S
        while not self._ahead:
            self._look()
            left = end - time.monotonic()
            if self._ahead or left <= 0:
                break
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_S)
        return self._ahead.popleft() if self._ahead else None

    def close(self) -> None:
        self._file.close()

    def _look(self) -> None:
        query = f"SELECT {COLUMNS} FROM message WHERE topic=? AND part=? AND off>=? ORDER BY off LIMIT {_PAGE}"  # noqa: S608
        for (topic, part), head in self._heads().items():
            begin = self._next.get((topic, part), 0)        # a partition that nobody had written to before
            if begin < head:
                with self._file.read() as db:
                    found = [record_of(row) for row in db.execute(query, (topic, part, begin))]
                self._ahead.extend(found)
                self._next[topic, part] = found[-1].offset + 1 if found else head

    def _heads(self) -> dict[Place, int]:
        with self._file.read() as db:
            return {
                (topic, int(part)): int(head) for topic in self._topics
                for part, head in db.execute("SELECT part, next FROM head WHERE topic=?", (topic,))
            }  # fmt: skip
