"""How often Slack lets an app call each method: by tiers a minute, and a message a second in each channel."""

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

TIERS = {1: 1, 2: 20, 3: 50, 4: 100}    # calls of a method in a minute
_SPECIAL = 600                          # a minute, where Slack names no tier and says that hundreds are allowed
METHODS = {
    "auth.test": 0, "assistant.threads.setStatus": 0, "chat.postEphemeral": 4, "chat.update": 3, "chat.delete": 3,
    "chat.startStream": 2, "chat.appendStream": 4, "chat.stopStream": 2, "chat.getPermalink": 0,
    "conversations.info": 3, "conversations.members": 4, "conversations.history": 3, "conversations.replies": 3,
    "conversations.open": 3, "users.conversations": 3, "users.info": 4, "users.list": 2, "usergroups.list": 2,
    "usergroups.users.list": 2,
    "views.open": 4, "views.publish": 4, "views.update": 4, "reactions.add": 3, "apps.connections.open": 1,
}  # fmt: skip
_POST = "chat.postMessage"
_BURST = 3.0                            # messages to one channel at once


class Limits:
    """Buckets that fill again evenly. Threads may share it. Tests that are not about it leave it off."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.on = False
        self.refused: dict[str, int] = {}
        self._clock = clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}     # how many calls there are still, and when that was so

    def wait(self, method: str, given: Mapping[str, Any]) -> int:
        """Seconds for `Retry-After`; 0 for a call that is let through, and counts."""
        if not self.on:
            return 0
        if method == _POST:
            return self._take(f"{method} {given.get('channel')}", method, _BURST, 1.0)
        tier = METHODS.get(method, 3)
        most = float(TIERS[tier] if tier else _SPECIAL)
        return self._take(method, method, most, most / 60)

    def _take(self, bucket: str, method: str, most: float, per_second: float) -> int:
        now = self._clock()
        with self._lock:
            left, since = self._left.get(bucket, (most, now))
            left = min(most, left + (now - since) * per_second)
            if left >= 1:
                self._left[bucket] = left - 1, now
                return 0
            self._left[bucket] = left, now
            self.refused[method] = self.refused.get(method, 0) + 1
            return max(1, math.ceil((1 - left) / per_second))
