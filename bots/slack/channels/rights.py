"""Who may change how vouch behaves in a channel: admins and owners of the workspace, its creator, its vouch owners."""

from collections.abc import Mapping
from typing import Any

from bots.slack.api import SlackApi
from bots.slack.channels.rules import ChannelRules
from vouch.errors import Denied

WHO = ("Only admins and owners of this workspace, whoever created the channel, and the people set here as its owners"
       " may change this.")
_ADMINS = ("is_admin", "is_owner", "is_primary_owner")


def may_change(rules: ChannelRules, user: str, channel: str) -> bool:
    """As Slack tells it now; whatever it does not tell counts against the person. Raises SurfaceDown."""
    api = rules.api
    try:
        account = api.call("users.info", user=user)["user"]
        told = api.call("conversations.info", channel=channel)["channel"]
    except Denied:
        return False
    if not _belongs(account, str(api.me["team_id"])) or not _is_in(api, user, channel):
        return False
    return any(account.get(name) is True for name in _ADMINS) or told.get("creator") == user \
        or rules.owns(rules.settings(channel), user)


def _belongs(account: Mapping[str, Any], team: str) -> bool:
    """Not a guest, a stranger, an app, or gone."""
    return account.get("team_id") == team and account.get("deleted") is False and account.get("is_bot") is False \
        and account.get("is_restricted") is False and account.get("is_ultra_restricted") is False \
        and not account.get("is_stranger")


def _is_in(api: SlackApi, user: str, channel: str) -> bool:
    return user in api.pages("conversations.members", "members", channel=channel, limit=200)
