"""Waiting out what is away: how long until the next try, and a circuit breaker for surfaces that are down."""

import logging
import random
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from consumers.monitoring.telemetry import Telemetry
from vouch.errors import Busy, Unavailable


@dataclass(frozen=True, slots=True)
class Backoff:
    """Doubles from `first_s` up to `most_s`; a random half of it keeps many waiters from returning together."""

    first_s: float = 0.2
    most_s: float = 30.0

    def seconds(self, failures: int) -> float:
        """The wait after that many failures in a row, from 1."""
        full = min(self.most_s, self.first_s * 2.0 ** min(failures - 1, 30))
        return full * random.uniform(0.5, 1.0)  # noqa: S311


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


class CircuitBreaker:
    """Belongs to one thread. A pause doubles with each failure in a row, and is as long as the receiver asks for."""

    def __init__(self, backoff: Backoff) -> None:
        self._backoff = backoff
        self._failures: dict[str, int] = {}
        self._until: dict[str, datetime] = {}

    def down(self, name: str, now: datetime, retry_after_s: float | None = None) -> float:
        """Leaves it alone from now on; for how many seconds."""
        self._failures[name] = self._failures.get(name, 0) + 1
        seconds = max(self._backoff.seconds(self._failures[name]), retry_after_s or 0.0)
        self._until[name] = now + timedelta(seconds=seconds)
        return seconds

    def up(self, name: str) -> bool:
        """It took something. True if it was down before."""
        self._until.pop(name, None)
        return self._failures.pop(name, None) is not None

    def available(self, names: Collection[str], now: datetime) -> list[str]:
        """Those that are not left alone now."""
        return [name for name in names if name not in self._until or self._until[name] <= now]
