"""What a running process says of itself: what it waits for, which loops turn, what it has counted."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from vouch.errors import Busy, IndexDown, LedgerDown, LogDown, ModelDown, SurfaceDown, VouchError

BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
STALE_S = 120.0                         # who still waits so long after looking again would have said so
Labels = tuple[tuple[str, str], ...]
_MACHINES: dict[type[VouchError], str] = {
    LedgerDown: "ledger", Busy: "ledger", LogDown: "log", ModelDown: "model", IndexDown: "index",
    SurfaceDown: "surface",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wait:
    """A machine that somebody waits for, since when and until when, in seconds of the epoch."""

    machine: str
    cause: str
    since: float
    until: float
    waiters: int = 1


@dataclass
class Spread:
    """How long things took: how many within each of BUCKETS_S, in all, and the sum of seconds."""

    within: Counter[float]
    count: int = 0
    sum_s: float = 0.0


class Telemetry:
    """Threads share it. Nothing in it holds words of a question or a document."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waits: dict[str, Wait] = {}
        self._beats: dict[str, float] = {}
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._spreads: dict[tuple[str, Labels], Spread] = defaultdict(lambda: Spread(Counter()))

    def waits(self, waiter: str, error: Exception, seconds: float, machine: str = "") -> None:
        """`waiter` is held up by what `error` says, and looks again after that time."""
        with self._lock:
            now, former = self._clock(), self._waits.get(waiter)
            since = former.since if former is not None else now
            cause = error.cause if isinstance(error, VouchError) else type(error).__name__
            self._waits[waiter] = Wait(machine or machine_of(error), cause, since, now + seconds)

    def goes_on(self, waiter: str) -> None:
        with self._lock:
            self._waits.pop(waiter, None)

    def waiting(self) -> list[Wait]:
        """One line per machine: since its first waiter began to wait, with the newest cause."""
        with self._lock:
            before = self._clock() - STALE_S
            self._waits = {waiter: wait for waiter, wait in self._waits.items() if wait.until > before}
            waits = sorted(self._waits.values(), key=lambda wait: wait.until)
        found: dict[str, Wait] = {}
        for wait in waits:
            former = found.get(wait.machine, Wait(wait.machine, "", wait.since, 0.0, 0))
            since, waiters = min(former.since, wait.since), former.waiters + 1
            found[wait.machine] = Wait(wait.machine, wait.cause, since, wait.until, waiters)
        return [found[machine] for machine in sorted(found)]

    def beat(self, loop: str) -> None:
        """The loop turns; `ended` when it does not any more."""
        with self._lock:
            self._beats[loop] = self._clock()

    def ended(self, loop: str) -> None:
        with self._lock:
            self._beats.pop(loop, None)

    def stuck(self, after_s: float) -> list[str]:
        """Loops that have not turned for so long."""
        with self._lock:
            before = self._clock() - after_s
            return sorted(loop for loop, at in self._beats.items() if at < before)

    def count(self, name: str, **labels: str) -> None:
        with self._lock:
            self._counts[name, tuple(sorted(labels.items()))] += 1

    def took(self, name: str, seconds: float, **labels: str) -> None:
        with self._lock:
            spread = self._spreads[name, tuple(sorted(labels.items()))]
            spread.count += 1
            spread.sum_s += seconds
            spread.within.update(bucket for bucket in BUCKETS_S if seconds <= bucket)

    def counts(self) -> dict[tuple[str, Labels], int]:
        with self._lock:
            return dict(self._counts)

    def spreads(self) -> dict[tuple[str, Labels], Spread]:
        with self._lock:
            return {key: Spread(Counter(s.within), s.count, s.sum_s) for key, s in self._spreads.items()}


def machine_of(error: Exception) -> str:
    """What is down, as far as the error tells."""
    return next((name for kind, name in _MACHINES.items() if isinstance(error, kind)), "machine")
