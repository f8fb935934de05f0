"""Windows and home tabs, as strict as Slack about what is in them and about who may open one."""

import time
from collections.abc import Mapping
from typing import Any

from bots.slack.simulator.drawing import Refused, check_blocks

MOST_BLOCKS = 100
_TRIGGER_S = 3.0
_PARTS = {
    "modal": {"title", "submit", "close", "private_metadata", "callback_id", "blocks", "clear_on_close",
              "notify_on_close", "external_id", "submit_disabled"},
    "home": {"private_metadata", "callback_id", "blocks", "external_id"},
}  # fmt: skip


def check_view(view: Mapping[str, Any]) -> None:
    """Raises Refused."""
    kind = str(view.get("type"))
    if kind not in _PARTS or not view.keys() <= _PARTS[kind] | {"type"}:
        raise Refused("invalid_arguments")
    if kind == "modal" and not 0 < len(view["title"]["text"]) <= 24:
        raise Refused("invalid_arguments")
    labels = [view[name]["text"] for name in ("submit", "close") if name in view]
    if any(not 0 < len(label) <= 24 for label in labels):
        raise Refused("invalid_arguments")
    asks = any(block.get("type") == "input" for block in view["blocks"])
    if len(view.get("private_metadata", "")) > 3000 or (asks and kind == "modal" and "submit" not in view):
        raise Refused("invalid_arguments")
    check_blocks(view["blocks"], MOST_BLOCKS)


class Triggers:
    """What a person did that lets the app open a window: once, and within three seconds."""

    def __init__(self) -> None:
        self._made: dict[str, float] = {}

    def give(self, trigger: str) -> str:
        self._made[trigger] = time.monotonic()
        return trigger

    def use(self, trigger: str) -> None:
        """Raises Refused."""
        made = self._made.pop(trigger, None)
        if made is None:
            raise Refused("invalid_trigger_id")
        if time.monotonic() - made > _TRIGGER_S:
            raise Refused("expired_trigger_id")
