"""What a running process says of itself: what it waits for, which loops turn, what it has counted."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from vouch.errors import Busy, IndexDown, LedgerDown, LogDown, ModelDown, SurfaceDown, VouchError

STALE_S = 120.0                         # who still waits so long after looking again would have said so
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


class Tally(Protocol):
    """Counts what a process does, for whoever reads its metrics."""

    def count(self, name: str, **labels: str) -> None: ...

    def took(self, name: str, seconds: float, **labels: str) -> None: ...


class Telemetry:
    """Threads share it. Nothing in it holds words of a question or a document."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waits: dict[str, Wait] = {}
        self._beats: dict[str, float] = {}
        self.tally: Tally | None = None     # without one nothing is counted: nobody would read it

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

    def is_waiting(self, waiter: str) -> bool:
        """Whether it is held up now; one that has not looked again for long counts no more."""
        with self._lock:
            wait = self._waits.get(waiter)
            return wait is not None and wait.until > self._clock() - STALE_S

    def waiting(self) -> list[Wait]:
        """One line per machine: since its first waiter began to wait, with the newest cause."""
        with self._lock:
            before = self._clock() - STALE_S
            self._waits = {waiter: wait for waiter, wait in self._waits.items() if wait.until > before}
            waits = sorted(self._waits.values(), key=lambda wait: wait.until)
        by_machine: dict[str, Wait] = {}
        for wait in waits:
            former = by_machine.get(wait.machine, Wait(wait.machine, "", wait.since, 0.0, 0))
            since, waiters = min(former.since, wait.since), former.waiters + 1
            by_machine[wait.machine] = Wait(wait.machine, wait.cause, since, wait.until, waiters)
        return [by_machine[machine] for machine in sorted(by_machine)]

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
        if self.tally is not None:
            self.tally.count(name, **labels)

    def took(self, name: str, seconds: float, **labels: str) -> None:
        if self.tally is not None:
            self.tally.took(name, seconds, **labels)


def machine_of(error: Exception) -> str:
    """What is down, as far as the error tells."""
    return next((name for kind, name in _MACHINES.items() if isinstance(error, kind)), "machine")
