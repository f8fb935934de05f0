"""What a person did that lets the app open a window: once, and within three seconds."""

import time

from bots.slack.simulator.refused import Refused

_LASTS_S = 3.0


class Triggers:
    def __init__(self) -> None:
        self._made: dict[str, float] = {}
        self._used: set[str] = set()

    def give(self, trigger: str) -> str:
        self._made[trigger] = time.monotonic()
        return trigger

    def use(self, trigger: str) -> None:
        """Raises Refused."""
        if trigger in self._used:
            raise Refused("exchanged_trigger_id")
        made = self._made.pop(trigger, None)
        if made is None:
            raise Refused("invalid_trigger_id")
        if time.monotonic() - made > _LASTS_S:
            raise Refused("expired_trigger_id")
        self._used.add(trigger)
