"""Which messages of a partition are in hand: what is committed never passes one that is not done."""

from collections import defaultdict

from vouch.ports.log import Record


class Offsets:
    """Messages in hand, and those done that cannot be committed yet because an earlier one is not."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], set[int]] = defaultdict(set)
        self._done: dict[tuple[str, int], dict[int, Record]] = defaultdict(dict)

    def take(self, record: Record) -> bool:
        """False if it is known already: it came a second time."""
        place = (record.topic, record.partition)
        if record.offset in self._open[place] or record.offset in self._done[place]:
            return False
        self._open[place].add(record.offset)
        return True

    def done(self, record: Record) -> Record | None:
        """The record up to which the partition may be committed now, if it is one further than before."""
        place = (record.topic, record.partition)
        self._open[place].discard(record.offset)
        done = self._done[place]
        done[record.offset] = record
        floor = min(self._open[place], default=None)
        ready = [offset for offset in done if floor is None or offset < floor]
        if not ready:
            return None
        furthest = done[max(ready)]
        for offset in ready:
            del done[offset]
        return furthest

    def forget(self, record: Record) -> None:
        """It is in hand no longer, and not done."""
        self._open[record.topic, record.partition].discard(record.offset)

    def held(self) -> int:
        """How many have been read and are not committed."""
        return sum(map(len, self._open.values())) + sum(map(len, self._done.values()))
