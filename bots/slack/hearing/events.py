"""Events of Slack: each is taken once, and some tell that something has changed which is kept for a while.

An event that never comes costs nothing but time: what is kept is asked for again when it is too old, and who reads
along is asked for right before each post.

Its id is kept after it is taken. Whoever dies in between is told of it again, and what it says is then known by the
`ts` of its message. What has no id is known by its signature.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from slack_bolt.response import BoltResponse

_OF_CHANNELS = ("member_joined_channel", "member_left_channel", "channel_shared", "channel_unshared")
_WHERE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_OF_CHANNELS, ("channel",)),
    "user_change": ("user", "id"),
    "subteam_members_changed": ("subteam_id",),
    "subteam_updated": ("subteam", "id"),
}
NEWS = tuple(_WHERE)
_LONGEST = 60


class Notes(Protocol):
    """Threads may share it."""

    def note(self, subject: str, at: datetime) -> None: ...


@dataclass(frozen=True)
class News:
    """What it is told again is noted again, which makes somebody ask once more."""

    notes: Notes
    clock: Callable[[], datetime]

    def told(self, event: Mapping[str, Any]) -> None:
        """Raises Unavailable, and Slack then tells it again."""
        subject = changed(event)
        if subject:
            self.notes.note(subject, self.clock())


def changed(event: Mapping[str, Any]) -> str:
    """The id of the conversation, account, or user group; empty for what is no such event. Pure."""
    found: Any = event
    for name in _WHERE.get(str(event.get("type")), ()):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) and found.isalnum() and len(found) <= _LONGEST else ""


_ID = re.compile(r"[!-~]{1,100}")

Event = Mapping[str, Any]


class TakenEvents(Protocol):
    """What the ledger has of events. Threads may share it."""

    def was_taken(self, event_id: str) -> bool: ...

    def take(self, event_id: str, at: datetime) -> bool:
        """From now on it was taken; whether it was not before, which of several callers at once one is told."""
        ...

    def give_back(self, event_id: str) -> None:
        """It was not taken after all."""
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

    def signed(self, signature: str, act: Callable[[], BoltResponse]) -> BoltResponse:
        """Of a press, a window, or a command, which have no id but the signature.

        That counts for five minutes, so whoever saw the request could send it again: what is done, or being done, is
        not done again. It is kept before that: Slack itself sends none of these twice, so nothing is lost by it.

        Raises Unavailable.
        """
        if not self.taken.take(signature, self.clock()):
            return BoltResponse(status=200, body="")
        reply: BoltResponse | None = None
        try:
            reply = act()
            return reply
        finally:
            if reply is None or reply.status != 200:
                self.taken.give_back(signature)
