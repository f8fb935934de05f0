"""Reads what arrives on the embedded log from now on, without joining a group."""

import time
from collections import deque
from collections.abc import Sequence

from vouch.adapters.message_log.embedded.consumer import COLUMNS, record_of
from vouch.adapters.message_log.embedded.file import LogFile
from vouch.adapters.message_log.embedded.group import Place
from vouch.ports.log import Record

_PAGE = 100
_FIRST_S, _LONGEST_S = 0.002, 0.05      # between two looks


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
