"""`/vouch settings`: who may change how vouch behaves in a channel, and the window for it, opened and submitted."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.channels.rules import ChannelRules
from bots.slack.channels.window import channel_view, chosen, saved_view
from bots.slack.identity.membership import is_member
from vouch.errors import Denied, VouchError
from vouch.ports.surface import ChannelSettings

WHO = ("Only admins and owners of this workspace, whoever created the channel, and the people set here as its owners"
       " may change this.")
_ADMINS = ("is_admin", "is_owner", "is_primary_owner")


def may_change(rules: ChannelRules, user: str, channel: str) -> bool:
    """As Slack tells it now; whatever it does not tell counts against the person. Raises SurfaceDown."""
    api = rules.api
    try:
        account = api.call("users.info", user=user)["user"]
        conversation = api.call("conversations.info", channel=channel)["channel"]
    except Denied:
        return False
    if not _belongs(account, str(api.me["team_id"])):
        return False
    chosen = any(account.get(name) is True for name in _ADMINS) or conversation.get("creator") == user \
        or rules.owns(rules.settings(channel), user)
    return chosen and is_member(api, user, channel)


def _belongs(account: Mapping[str, Any], team: str) -> bool:
    """Not a guest, a stranger, an app, or gone."""
    return account.get("team_id") == team and account.get("deleted") is False and account.get("is_bot") is False \
        and account.get("is_restricted") is False and account.get("is_ultra_restricted") is False \
        and not account.get("is_stranger")


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
        """What Slack is told of the window: nothing closes it. Rights may have gone since it was opened.

        Names that stand for nothing yet are kept: there may come to be such.
        """
        channel = str(view["private_metadata"])
        if not may_change(self.rules, user, channel):
            return _wrong({"answers": WHO})
        settings, wrong = chosen(view)
        if settings is None:
            return _wrong(wrong)
        self.rules.channels.set(channel, settings, f"slack:{user}")
        _log.info("slack: channel %s was set by %s", channel, user)
        unknown = self._unknown(settings, user)
        return {"response_action": "update", "view": saved_view(unknown)} if unknown else {}

    def _unknown(self, settings: ChannelSettings, user: str) -> list[str]:
        """None where nobody can tell now: they are stored."""
        try:
            return self.rules.unknown(settings, user)
        except VouchError as error:
            _log.info("slack: nobody is told which names stand for nothing: %s", error)
            return []


def _wrong(told: Mapping[str, str]) -> dict[str, Any]:
    return {"response_action": "errors", "errors": dict(told)}
