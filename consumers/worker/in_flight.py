"""What a worker has in hand: what may be begun, what is at work in threads, and what may be committed."""

import queue
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass

from consumers.worker.message_processor import Outcome, place_of
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
        partition = (record.topic, record.partition)
        self._open[partition].discard(record.offset)
        done = self._done[partition]
        done[record.offset] = record
        floor = min(self._open[partition], default=None)
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


class InFlight:
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


@dataclass(eq=False, slots=True)
class Task:
    """A message and what became of it; `alone`: nothing may be at work beside it."""

    record: Record
    begun: int                          # attempts that were not ended before
    alone: bool
    since: float | None = None          # when its latest attempt began; None while it waits for one
    outcome: Outcome | None = None
    error: BaseException | None = None  # of the machinery around the handler
    buried: bool = False                # lies on its dead topic
    given_up: bool = False              # hangs, and is settled already

    def busy(self, busy: bool) -> None:
        self.since = time.monotonic() if busy else None


class RunningTasks:
    """All methods belong to one thread. A thread that hangs does not keep the process from ending."""

    def __init__(self, handle: Callable[[Record, int, Callable[[bool], None]], Outcome]) -> None:
        self._handle = handle
        self._running: set[Task] = set()
        self._ends: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._ended: deque[Task] = deque()

    def __len__(self) -> int:
        """How many have not ended, those given up left out."""
        return sum(not task.given_up for task in self._running)

    @property
    def given_up(self) -> int:
        return sum(task.given_up for task in self._running)

    @property
    def alone(self) -> bool:
        """Whether something is at work that nothing may be begun beside."""
        return any(task.alone and not task.given_up for task in self._running)

    def begin(self, record: Record, begun: int, *, alone: bool) -> None:
        task = Task(record, begun, alone)
        self._running.add(task)
        threading.Thread(target=self._work, args=(task,), name=place_of(record), daemon=True).start()

    def wait(self, timeout_s: float) -> None:
        """Until one ends, or the time is over."""
        try:
            task = self._ends.get(timeout=timeout_s)
        except queue.Empty:
            return
        self._heard(task)

    def first_ended(self) -> Task | None:
        """One that has ended; the same again until `settled` is called for it."""
        while not self._ends.empty():
            self._heard(self._ends.get())
        return self._ended[0] if self._ended else None

    def settled(self, task: Task) -> None:
        self._ended.remove(task)

    def hanging(self, patience_s: float) -> list[Task]:
        """Those whose latest attempt has lasted longer, and that are not given up yet."""
        before = time.monotonic() - patience_s
        at_work = [task for task in self._running if not task.given_up]
        return [task for task in at_work if (since := task.since) is not None and since < before]

    def _heard(self, task: Task) -> None:
        self._running.discard(task)
        if not task.given_up:
            self._ended.append(task)

    def _work(self, task: Task) -> None:
        try:
            task.outcome = self._handle(task.record, task.begun, task.busy)
        except BaseException as error:      # of a damaged ledger, say: it ends the worker, not just this thread
            task.error = error
        self._ends.put(task)
