"""`/vouch settings`: the window for a channel, opened and submitted by whoever may change it."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.channels.rights import WHO, may_change
from bots.slack.channels.rules import ChannelRules
from bots.slack.channels.window import channel_view, chosen

WORD = "settings"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Setting:
    rules: ChannelRules

    def means(self, command: Mapping[str, Any]) -> bool:
        return str(command.get("text") or "").strip().lower() == WORD

    def opened(self, command: Mapping[str, Any]) -> str:
        """What the person is told at once; nothing where the window is open."""
        channel, user = str(command["channel_id"]), str(command["user_id"])
        if not channel.startswith(("C", "G")):
            return "Only channels have settings. Write /vouch settings in the channel itself."
        if not may_change(self.rules, user, channel):
            return WHO
        settings = self.rules.settings(channel)
        self.rules.api.call("views.open", trigger_id=command["trigger_id"], view=channel_view(channel, settings))
        return ""

    def submitted(self, user: str, view: Mapping[str, Any]) -> dict[str, Any]:
        """What Slack is told of the window: nothing closes it. Rights may have gone since it was opened."""
        channel = str(view["private_metadata"])
        if not may_change(self.rules, user, channel):
            return _wrong({"answers": WHO})
        settings, wrong = chosen(view)
        if settings is None:
            return _wrong(wrong)
        self.rules.channels.set(channel, settings, f"slack:{user}")
        _log.info("slack: channel %s was set by %s", channel, user)
        return {}


def _wrong(told: Mapping[str, str]) -> dict[str, Any]:
    return {"response_action": "errors", "errors": dict(told)}
