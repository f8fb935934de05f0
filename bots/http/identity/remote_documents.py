"""A copy of what another server says: one request reads it, and the others are not held up."""

import http.client
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from vouch.errors import Unavailable

T = TypeVar("T")
WAIT_S = 1.0
_FAILURES = (OSError, http.client.HTTPException, ValueError, Unavailable)


@dataclass(frozen=True, slots=True)
class Times:
    """In seconds: how long a copy is new, how long until it is asked for again, and when it is too old to go on with.
    `first_s`: how long others wait for the very first."""

    kept_s: float
    least_s: float
    longest_s: float
    first_s: float = 5.0


class Copy(Generic[T]):
    """Threads share it. While one reads, the others go on with the old copy, or wait a moment if they need a new one.

    Only a few may wait, as each takes a thread that others need; and a failure is not tried again at once.
    """

    def __init__(self, read: Callable[[], T], times: Times, clock: Callable[[], float] = time.monotonic) -> None:
        self._read, self._times, self._clock = read, times, clock
        self._reading = threading.Lock()
        self._waiting = threading.BoundedSemaphore(8)
        self._kept: tuple[float, T] | None = None
        self._tried = float("-inf")

    def get(self, cause: str, cure: str, *, fresh: bool = False) -> T:
        """`fresh`: what is needed is not in the copies given before. Raises Unavailable with these words."""
        failed, before = None, self._kept
        if self._is_due(fresh) and self._turn(fresh):
            try:
                failed = self._look() if self._kept is before and self._is_due(fresh) else None
            finally:
                self._reading.release()
        copy = self._kept
        if copy is None or self._clock() - copy[0] >= self._times.longest_s:
            if isinstance(failed, Unavailable):
                raise failed                        # it says more
            raise Unavailable(f"{cause}{f': {type(failed).__name__}' if failed else ''}", cure=cure) from failed
        return copy[1]

    def _turn(self, fresh: bool) -> bool:
        """Whether it is this thread's turn to read, perhaps after a wait for another one that does."""
        if self._reading.acquire(blocking=False):
            return True
        wait_s = self._times.first_s if self._age() >= self._times.longest_s else WAIT_S if fresh else 0.0
        if not wait_s or not self._waiting.acquire(blocking=False):
            return False
        try:
            return self._reading.acquire(timeout=wait_s)
        finally:
            self._waiting.release()

    def _age(self) -> float:
        kept = self._kept
        return self._clock() - kept[0] if kept else self._times.longest_s

    def _is_due(self, fresh: bool) -> bool:
        wanted = fresh or self._age() >= self._times.kept_s
        return wanted and self._clock() - self._tried >= self._times.least_s

    def _look(self) -> Exception | None:
        """A new copy, or why there is none."""
        try:
            self._kept = self._clock(), self._read()
        except _FAILURES as error:
            return error
        finally:
            self._tried = self._clock()             # now: whoever comes while it is read waits for it
        return None
