"""Who is in a channel, as Slack said a moment ago: it counts until it is too old, or has changed."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from vouch.errors import Denied


class Changes(Protocol):
    """Of conversations, accounts, and user groups, by their ids. Threads may share it."""

    def stamps(self, subjects: Iterable[str]) -> Mapping[str, str]:
        """Of what has changed of late, another one after each change."""
        ...


class Untold:
    """Where nobody tells of changes: age alone counts."""

    def stamps(self, subjects: Iterable[str]) -> Mapping[str, str]:
        return {}


_MOST_KEPT = 1000

Members = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Told:
    members: Members | None
    stamp: str
    until: float


class KeptMembers:
    """Threads may share it. `ask` asks Slack; None where everybody counts as a member.

    What it said counts for `seconds`, and no longer than until a change of the channel is told: each process of vouch
    sees that at its next look.
    """

    def __init__(
        self, ask: Callable[[str], Members | None], changes: Changes, seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._ask = ask
        self._changes = changes
        self._seconds = seconds
        self._clock = clock
        self._known: dict[str, _Told] = {}
        self._lock = threading.Lock()

    def of(self, channel: str, *, anew: bool) -> Members | None:
        """`anew`: whatever is kept. Raises SurfaceDown and Denied; Unavailable where changes cannot be looked up."""
        if not self._seconds:
            return self._ask(channel)
        stamp, now = self._changes.stamps([channel]).get(channel, ""), self._clock()
        with self._lock:
            known = self._known.get(channel)
        if not anew and known is not None and known.stamp == stamp and now < known.until:
            return known.members
        try:
            members = self._ask(channel)
        except Denied:
            self._forget(channel)
            raise
        self._keep(channel, _Told(members, stamp, now + self._seconds))
        return members

    def _keep(self, channel: str, told: _Told) -> None:
        with self._lock:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[channel] = told

    def _forget(self, channel: str) -> None:
        with self._lock:
            self._known.pop(channel, None)
