"""Addresses that an app may answer an interaction at: five times, and within half an hour."""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.simulator.blocks import check_blocks
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.workspace import BOT_USER, Message, Workspace

PATH = "/hooks/"
MOST_USES, LASTS_S = 5, 1800.0
_PARTS = {"text", "blocks", "response_type", "replace_original", "delete_original", "thread_ts"}


@dataclass
class _Hook:
    channel: str
    user: str
    about: Message | None
    until: float
    uses: int = 0


class Hooks:
    """`base` is the address of the server that they are under. Threads may share it."""

    def __init__(self, workspace: Workspace, clock: Callable[[], float] = time.monotonic) -> None:
        self.base = ""
        self._workspace = workspace
        self._clock = clock
        self._made: dict[str, _Hook] = {}

    def give(self, channel: str, user: str, about: Message | None = None) -> str:
        """For what this person did there; `about` is the message with what they pressed."""
        name = uuid.uuid4().hex
        with self._workspace.lock:
            self._made[name] = _Hook(channel, user, about, self._clock() + LASTS_S)
        return f"{self.base}{PATH}{name}"

    def take(self, name: str, given: Mapping[str, Any]) -> None:
        """Raises Refused, and nothing is seen. What is refused counts as no use."""
        with self._workspace.lock:
            hook = self._made.get(name)
            if hook is None or hook.uses >= MOST_USES:
                raise Refused("used_url")
            if self._clock() > hook.until:
                raise Refused("expired_url")
            self._write(hook, given)
            hook.uses += 1

    def _write(self, hook: _Hook, given: Mapping[str, Any]) -> None:
        if given.keys() - _PARTS or given.get("response_type", "ephemeral") not in ("ephemeral", "in_channel"):
            raise Refused("invalid_arguments")
        if given.get("delete_original") and hook.about is not None:
            self._workspace.messages.remove(hook.about)
            return
        text, blocks = given.get("text", ""), given.get("blocks", [])
        if not isinstance(text, str) or not (text or blocks):
            raise Refused("no_text")
        check_blocks(blocks)
        if given.get("replace_original") and hook.about is not None:
            hook.about.text, hook.about.blocks = text, blocks
            return
        alone = None if given.get("response_type") == "in_channel" else hook.user
        self._workspace.put(Message(self._workspace.moment(), hook.channel, BOT_USER, text, blocks,
                                    given.get("thread_ts"), only_for=alone))
