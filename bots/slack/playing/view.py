"""What somebody sees of a conversation, as lines for a terminal. Pure."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence

from bots.slack.simulator.workspace import BOT_USER, Channel, Message, User
from bots.wrapping import Line, wrap

DIRECT = "direct"
_MENTION = re.compile(r"<@([A-Z0-9]{1,40})(?:\|[^<>]{0,200})?>")
_ESCAPED = re.compile(r"\\([\\`*_~|\[\](){}#+.!=-])")
_UNSEEN = "\u2060"


def title(channel: Channel, users: Mapping[str, User], viewer: User) -> Line:
    """The conversation, who is in it, and who looks at it."""
    inside = [users[id_].name + (" (guest)" if users[id_].guest else "") for id_ in channel.members if id_ != BOT_USER]
    shared = ", shared with another organisation" if channel.shared else ""
    return Line(f"--- {name_of(channel, viewer)} · {', '.join(inside)}{shared} · seen by {viewer.name}", "strong")


def name_of(channel: Channel, viewer: User | None = None) -> str:
    if channel.kind == "mpim":
        return channel.name
    if channel.kind != "im":
        return f"#{channel.name}"
    return "direct messages" if viewer is None or viewer.id in channel.members else DIRECT


def drawn(
    messages: Sequence[tuple[int, Message]], users: Mapping[str, User], width: int
) -> list[Line]:
    """Numbered messages in their order; those of a thread are set in."""
    return [line for number, message in messages for line in _drawn(number, message, users, width)]


def _drawn(number: int, message: Message, users: Mapping[str, User], width: int) -> Iterator[Line]:
    inside = "  " if message.thread_ts not in (None, message.ts) else ""
    alone = ", only you see this" if message.only_for else ""
    edited = " (edited)" if message.edited else ""
    yield Line(f"{inside}[{number}] {users[message.user].name}{alone}{edited}", "strong")
    margin = f"{inside}    "
    for line in readable(message.shown(), users).split("\n"):
        yield from (Line(part) for part in wrap(line, width, first=margin, rest=margin))
    for name, those in message.reactions.items():
        yield Line(f"{margin}:{name}: {', '.join(users[one].name for one in those)}")


def readable(text: str, users: Mapping[str, User]) -> str:
    """As Slack shows it: without the marks that keep it from being read as orders."""
    named = _MENTION.sub(lambda found: f"@{users[found[1]].name}" if found[1] in users else found[0], text)
    return html.unescape(_ESCAPED.sub(r"\1", named)).replace(_UNSEEN, "")


def typed(text: str, users: Mapping[str, User]) -> str:
    """What Slack makes of what was typed: @NAME of somebody in the workspace is a mention."""
    ids = {user.name.lower(): id_ for id_, user in users.items()}
    said = html.escape(text, quote=False)
    return re.sub(r"@(\w+)", lambda found: f"<@{ids[found[1].lower()]}>" if found[1].lower() in ids else found[0], said)
