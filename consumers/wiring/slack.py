"""Slack, as the settings have it: what posts there, and what tells who reads along."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vouch.extras import need
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.api import SlackApi
    from bots.slack.changes import Changes
    from bots.slack.members import SlackConversations
    from bots.slack.people import People
    from bots.slack.surface import SlackSurface
    from bots.slack.user_groups import UserGroups

SURFACE = "slack"


@dataclass(frozen=True)
class Slack:
    """Threads may share each part."""

    api: "SlackApi"
    people: "People"
    groups: "UserGroups"
    surface: "SlackSurface"
    conversations: "SlackConversations"


def build_slack(
    settings: Settings, changes: "Changes | None" = None, api: "SlackApi | None" = None
) -> Slack | None:
    """None where the settings name no token. Connects to nothing.

    `changes` are those that the bot notes; without them what Slack said counts until it is too old.
    """
    chosen = settings.slack
    if not chosen.bot_token.get_secret_value():
        return None
    need("slack", "VOUCH_SLACK__BOT_TOKEN")
    from bots.slack.api import SlackApi
    from bots.slack.members import SlackConversations
    from bots.slack.people import People
    from bots.slack.progress.finishing import ShownStages
    from bots.slack.progress.pace import Pace
    from bots.slack.surface import SlackSurface
    from bots.slack.user_groups import UserGroups

    api = api or SlackApi(chosen.bot_token.get_secret_value(), chosen.api_url, chosen.timeout_seconds)
    people = People(api, chosen.people, chosen.people_seconds, changes=changes)
    conversations = SlackConversations(
        api, people, most=chosen.max_members, open_channels_are_public=chosen.public_channels == "public",
        seconds=chosen.members_seconds, changes=changes,
    )
    stages = ShownStages(api, Pace()) if chosen.progress == "stream" else None
    groups = UserGroups(api, chosen.people_seconds, changes=changes)
    return Slack(api, people, groups, SlackSurface(api, stages=stages), conversations)
