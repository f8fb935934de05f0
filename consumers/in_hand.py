"""What a worker has in hand: what may be begun next, and up to where each partition may be committed."""

from collections import deque

from consumers.offsets import Offsets
from vouch.ports.log import Record


class InHand:
    """Messages with equal keys are begun one after the other, in the order they were taken; others at any time."""

    def __init__(self, offsets: Offsets | None = None) -> None:
        self._offsets = offsets or Offsets()
        self._lines: dict[tuple[str, bytes], deque[Record]] = {}    # the first of each is ready or begun
        self._ready: deque[Record] = deque()
        self._begun: set[tuple[str, int, int]] = set()

    def __len__(self) -> int:
        """How many are taken and not finished."""
        return sum(map(len, self._lines.values()))

    @property
    def begun(self) -> int:
        return len(self._begun)

    @property
    def uncommitted(self) -> int:
        """How many are taken and not committed, finished ones included."""
        return self._offsets.held()

    def take(self, record: Record) -> bool:
        """False for one that is in hand already: its partition was away and came back."""
        if not self._offsets.take(record):
            return False
        line = self._lines.setdefault((record.topic, record.key), deque())
        line.append(record)
        if len(line) == 1:
            self._ready.append(record)
        return True

    def next(self) -> Record | None:
        """The one to begin next, which stays the next until it is begun."""
        return self._ready[0] if self._ready else None

    def begin(self, record: Record) -> None:
        self._ready.remove(record)
        self._begun.add(_place(record))

    def finish(self, record: Record) -> Record | None:
        """The record up to which its partition may be committed now, if that is further than before."""
        self._begun.discard(_place(record))
        self._leave(record)
        return self._offsets.done(record)

    def drop(self, record: Record) -> None:
        """It was begun, and its end is another member's business."""
        self._begun.discard(_place(record))
        self._leave(record)
        self._offsets.forget(record)

    def lose(self, topic: str, partition: int) -> None:
        """The partition went to another member, and with it what was not begun."""
        for line in list(self._lines.values()):
            for record in [r for r in line if (r.topic, r.partition) == (topic, partition)]:
                if _place(record) not in self._begun:
                    if record in self._ready:
                        self._ready.remove(record)
                    self._leave(record)
                    self._offsets.forget(record)

    def _leave(self, record: Record) -> None:
        key = (record.topic, record.key)
        line = self._lines[key]
        first = line[0] is record
        line.remove(record)
        if not line:
            del self._lines[key]
        elif first:
            self._ready.append(line[0])


def _place(record: Record) -> tuple[str, int, int]:
    return record.topic, record.partition, record.offset
