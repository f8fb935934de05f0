"""An event is taken once, by the id that Slack gives it; every delivery of it has the same.

Its id is kept after it is taken. Whoever dies in between is told of it again, and what it says is then known by the
`ts` of its message.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

_ID = re.compile(r"[!-~]{1,100}")

Event = Mapping[str, Any]


class TakenEvents(Protocol):
    """What the ledger has of events. Threads may share it."""

    def was_taken(self, event_id: str) -> bool: ...

    def take(self, event_id: str, at: datetime) -> None:
        """From now on it was taken. May be called again."""
        ...


@dataclass(frozen=True)
class Once:
    taken: TakenEvents
    clock: Callable[[], datetime]

    def of(self, take: Callable[[Event], object]) -> Callable[[Event, Event], None]:
        """What Slack's library calls. An event without an id is taken each time."""
        def told(body: Event, event: Event) -> None:
            name = str(body.get("event_id") or "")
            known = _ID.fullmatch(name) is not None
            if known and self.taken.was_taken(name):
                return
            take(event)
            if known:
                self.taken.take(name, self.clock())

        return told
