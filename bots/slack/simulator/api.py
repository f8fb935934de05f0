"""What of the Web API its methods go by."""

from typing import Protocol

from bots.slack.simulator.arguments import TS as TS
from bots.slack.simulator.arguments import Arguments as Arguments
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.workspace import BOT_USER, Channel, Workspace

_SCOPES = {"channel": "channels", "private": "groups", "im": "im", "mpim": "mpim"}


class Api(Protocol):
    scopes: frozenset[str]

    @property
    def workspace(self) -> Workspace: ...


def known(api: Api, id_: str) -> Channel:
    """A conversation that the app can tell is there. Raises Refused."""
    channel = api.workspace.channels.get(id_)
    if channel is None or (channel.kind != "channel" and BOT_USER not in channel.members):
        raise Refused("channel_not_found")
    return channel


def joined(api: Api, id_: str) -> Channel:
    """One that the app is in. Raises Refused."""
    channel = known(api, id_)
    if BOT_USER not in channel.members:
        raise Refused("not_in_channel")
    return channel


def writable(api: Api, id_: str) -> Channel:
    """One that the app may write in. Raises Refused."""
    channel = joined(api, id_)
    if channel.archived:
        raise Refused("is_archived")
    return channel


def scoped(api: Api, channel: Channel, right: str) -> Channel:
    """`right`: `read` or `history`, of which each kind of conversation has its own. Raises Refused."""
    if f"{_SCOPES[channel.kind]}:{right}" not in api.scopes:
        raise Refused("missing_scope")
    return channel


def lists(api: Api, kind: str) -> bool:
    """Whether the app may list conversations of the kind."""
    return f"{_SCOPES[kind]}:read" in api.scopes
