"""Waiting out outages: each is said, and waited for, the longer the more of them follow one another."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from consumers.monitoring.telemetry import Telemetry
from consumers.resilience.backoff import Backoff
from vouch.errors import Busy, Unavailable

OUTAGE = (Unavailable, Busy)
_log = logging.getLogger(__name__)


class OutageRetry:
    """What holds up one waiter, that `waiter` names in status and metrics. Belongs to one thread."""

    def __init__(self, waiter: str, backoff: Backoff, telemetry: Telemetry, stop: threading.Event) -> None:
        self._waiter = waiter
        self._backoff = backoff
        self._telemetry = telemetry
        self._stop = stop
        self._in_a_row = 0

    @contextmanager
    def waited_out(self) -> Iterator[None]:
        """For one round of work. An outage in it is waited for, as long as what is down asks for, or until `stop`."""
        try:
            yield
        except OUTAGE as error:
            self._in_a_row += 1
            seconds = max(self._backoff.seconds(self._in_a_row), getattr(error, "retry_after_s", None) or 0.0)
            _log.warning("%s: waiting %.1f s: %s", self._waiter, seconds, error)
            self._telemetry.waits(self._waiter, error, seconds)
            self._stop.wait(seconds)
        else:
            self.over()

    def over(self) -> None:
        """Nothing holds it up, or it waits no longer."""
        if self._in_a_row:
            self._telemetry.goes_on(self._waiter)
        self._in_a_row = 0
