"""Keeps an eye on drift: looked at in the background, at most once in ten minutes, and only while somebody asks."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from vouch.errors import VouchError
from vouch.learning.drift.drift_look import Drift

EVERY_S = 600.0
_log = logging.getLogger(__name__)


class DriftWatch:
    """Threads share it."""

    def __init__(
        self, look: Callable[[datetime], Drift], clock: Callable[[], datetime],
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._clock = clock
        self._ticks = ticks
        self._lock = threading.Lock()
        self._found: Drift | None = None
        self._began: float | None = None
        self._thread: threading.Thread | None = None

    def latest(self) -> Drift | None:
        """What was found last, without a wait; None before the first look ends, and after one that failed."""
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if not busy and (self._began is None or self._ticks() - self._began >= EVERY_S):
                self._began = self._ticks()
                self._thread = threading.Thread(target=self._run, name="drift", daemon=True)
                self._thread.start()
            return self._found

    def wait(self, seconds: float) -> None:
        """Until the look under way, if any, has ended, at most so long."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _run(self) -> None:
        try:
            found = self._look(self._clock())
        except VouchError as error:     # that the ledger is down is told elsewhere
            _log.info("drift could not be looked at: %s", type(error).__name__)
            found = None
        with self._lock:
            self._found = found
