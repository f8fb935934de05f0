"""What a person did that lets the app open a window: once, and within three seconds."""

import time

from bots.slack.simulator.refused import Refused

_LASTS_S = 3.0


class Triggers:
    def __init__(self) -> None:
        self._made: dict[str, tuple[str, float]] = {}   # who did it, and when
        self._used: set[str] = set()

    def give(self, trigger: str, user: str = "") -> str:
        self._made[trigger] = user, time.monotonic()
        return trigger

    def use(self, trigger: str) -> str:
        """Whom the window opens for. Raises Refused."""
        if trigger in self._used:
            raise Refused("exchanged_trigger_id")
        made = self._made.pop(trigger, None)
        if made is None:
            raise Refused("invalid_trigger_id")
        if time.monotonic() - made[1] > _LASTS_S:
            raise Refused("expired_trigger_id")
        self._used.add(trigger)
        return made[0]
