"""Messages at work, each in a thread of its own, until the thread that reads the log hears of their ends."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from consumers.worker.message_processor import Outcome, place_of
from vouch.ports.log import Record


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
