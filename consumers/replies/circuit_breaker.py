"""Surfaces that are down are left alone for a while: nothing is claimed for them, and nothing of theirs is lost."""

from collections.abc import Collection
from datetime import datetime, timedelta

from consumers.resilience.backoff import Backoff


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
