"""Whether somebody is in a conversation."""

from bots.slack.api import SlackApi
from vouch.errors import Denied

PAGE = 1000                             # as many as Slack gives; somebody waits, and Slack for three seconds only


def is_member(api: SlackApi, user: str, channel: str) -> bool:
    """Of a conversation that the app sees. Reads no further than to the person. Raises SurfaceDown."""
    try:
        return user in api.pages("conversations.members", "members", channel=channel, limit=PAGE)
    except Denied:
        return False
