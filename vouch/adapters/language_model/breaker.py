"""An endpoint that fails is left alone for a while, so that not each question waits for it."""

import threading
import time
from collections.abc import Callable

_LONGEST_S = 600.0


class Breaker:
    """For several threads. After so many failures in a row nobody asks; then one tries, and the others wait for it.

    A pause doubles with each try that fails.
    """

    def __init__(
        self, failures: int = 3, pause_s: float = 15.0, try_s: float = 30.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._most, self._pause_s, self._try_s, self._now = failures, pause_s, try_s, monotonic
        self._failed = 0
        self._until = 0.0
        self._turn = threading.Lock()

    def wait(self) -> float:
        """For how many seconds it is left alone; 0: ask, and tell how it went."""
        with self._turn:
            now = self._now()
            if now < self._until:
                return self._until - now
            if self._failed >= self._most:
                self._until = now + self._try_s
            return 0.0

    def worked(self) -> None:
        with self._turn:
            self._failed, self._until = 0, 0.0

    def failed(self) -> None:
        with self._turn:
            self._failed += 1
            if self._failed >= self._most:
                doubled = self._pause_s * 2.0 ** min(self._failed - self._most, 20)
                self._until = self._now() + min(doubled, _LONGEST_S)

    def pause(self, seconds: float) -> None:
        """It asked itself to be left alone."""
        with self._turn:
            self._until = max(self._until, self._now() + min(seconds, _LONGEST_S))
