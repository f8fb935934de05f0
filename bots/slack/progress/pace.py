"""Methods of Slack that want to be left alone for a while."""

import threading
import time
from collections.abc import Callable

from vouch.errors import VouchError

_AFTER_FAILURE_S = 5.0


class Pace:
    """Threads may share it."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def free(self, method: str) -> bool:
        with self._lock:
            return self._monotonic() >= self._until.get(method, 0.0)

    def failed(self, method: str, error: VouchError) -> None:
        """It is not called again until Slack's own time is over, or a short one."""
        wait = refused_for(error)
        with self._lock:
            self._until[method] = self._monotonic() + (_AFTER_FAILURE_S if wait is None else wait)


def refused_for(error: VouchError) -> float | None:
    """Seconds that Slack wants to be left alone: nothing was done then. None for any other error."""
    wait: float | None = getattr(error, "retry_after_s", None)
    return wait
