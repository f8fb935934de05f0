"""The workspace: people, channels, messages, and what each person sees of them."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bots.slack.simulator.drawing import draw
from bots.slack.simulator.previews import Previews
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.triggers import Triggers

TEAM, TEAM_DOMAIN = "T0ACME", "acme"
BOT_USER, BOT_ID, APP_ID = "U0VOUCH", "B0VOUCH", "A0VOUCH"
STATUS_S = 120.0
MOST_TOGETHER = 8                       # people of a group conversation, besides the bot


@dataclass
class User:
    id: str
    name: str
    email: str = ""
    confirmed: bool = True
    guest: bool = False
    guest_of_one: bool = False          # of a single channel; Slack says that such a one is a guest, too
    deleted: bool = False
    is_bot: bool = False
    team: str = TEAM
    admin: bool = False

    def json(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "id": self.id, "team_id": self.team, "name": self.name, "deleted": self.deleted, "is_bot": self.is_bot,
            "is_app_user": False, "profile": {"real_name": self.name, "email": self.email},
        }  # fmt: skip
        if not self.deleted:
            told |= {
                "is_restricted": self.guest, "is_ultra_restricted": self.guest_of_one,
                "is_email_confirmed": self.confirmed, "is_stranger": self.team != TEAM,
                "is_admin": self.admin, "is_owner": False,
            }  # fmt: skip
        return told


@dataclass
class Channel:
    id: str
    name: str
    kind: str = "channel"               # channel, private, im, mpim
    members: list[str] = field(default_factory=list)
    shared: bool = False                # with another organisation
    shared_within: bool = False         # with other workspaces of the organisation
    invited: bool = False               # another organisation, which has not accepted yet
    archived: bool = False
    creator: str = ""

    def json(self) -> dict[str, Any]:
        return {
            "id": self.id, "name": self.name, "is_channel": self.kind == "channel",
            "is_group": self.kind == "private", "is_im": self.kind == "im", "is_mpim": self.kind == "mpim",
            "is_private": self.kind in ("private", "mpim"), "is_archived": self.archived,
            "is_ext_shared": self.shared, "is_org_shared": self.shared_within, "is_pending_ext_shared": self.invited,
            "is_member": BOT_USER in self.members, "context_team_id": TEAM, "creator": self.creator,
        } | ({"user": next(m for m in self.members if m != BOT_USER)} if self.kind == "im" else {})  # fmt: skip


@dataclass
class UserGroup:
    """People who are mentioned together."""

    id: str
    handle: str
    members: list[str]
    disabled: bool = False

    def json(self) -> dict[str, Any]:
        return {"id": self.id, "team_id": TEAM, "is_usergroup": True, "is_external": False, "name": self.handle,
                "handle": self.handle, "description": "", "date_delete": int(self.disabled)}


@dataclass
class Stream:
    """What was streamed into a message until now."""

    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    title: str = ""
    text: str = ""
    open: bool = True
    touched: float = 0.0                # when it was written to last

    def blocks(self) -> list[dict[str, Any]]:
        """Slack keeps the cards of a stream as blocks of its message."""
        cards = [
            {"type": "task_card", "task_id": one["id"], **{k: v for k, v in one.items() if k not in ("type", "id")}}
            for one in self.tasks.values()
        ]
        plan = [{"type": "plan", "title": self.title, "tasks": cards}] if self.title and cards else cards
        return [*plan, *([{"type": "markdown", "text": self.text}] if self.text else [])]

    def shown(self) -> str:
        signs = {"pending": "·", "in_progress": "…", "complete": "✓", "error": "✗"}
        lines = [f"{signs[one['status']]} {one['title']}" + (f": {one['output']}" if one.get("output") else "")
                 for one in self.tasks.values()]
        return "\n".join([*([self.title] if self.title else []), *lines, *([self.text] if self.text else [])])


@dataclass
class Message:
    ts: str
    channel: str
    user: str
    text: str
    blocks: list[dict[str, Any]] = field(default_factory=list)
    thread_ts: str | None = None
    metadata: dict[str, Any] | None = None
    only_for: str | None = None         # ephemeral: the person who sees it
    stream: Stream | None = None
    edited: dict[str, str] | None = None                        # by whom, and when last
    reactions: dict[str, list[str]] = field(default_factory=dict)   # who reacted, by the name of the reaction
    deleted: bool = False               # and kept in its place, as there are replies
    previews: Previews | None = None    # None: it is of a kind that has none

    def json(self, *, metadata: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"type": "message", "ts": self.ts, "user": self.user, "text": self.text}
        if self.user == BOT_USER:
            body |= {"bot_id": BOT_ID, "app_id": APP_ID}
        streamed = self.stream.blocks() if self.stream else []
        if streamed or self.blocks:
            body["blocks"] = [*streamed, *self.blocks]
        if self.thread_ts:
            body["thread_ts"] = self.thread_ts
        if self.edited:
            body["edited"] = self.edited
        if self.deleted:
            body["subtype"] = "tombstone"
        if self.reactions:
            body["reactions"] = [{"name": name, "users": list(users), "count": len(users)}
                                 for name, users in self.reactions.items()]
        if metadata and self.metadata:
            body["metadata"] = self.metadata
        return body

    def shown(self) -> str:
        own = draw(self.blocks) if self.blocks else self.text
        previews = self.previews.of(f"{own}\n{self.text}") if self.previews else ()
        parts = (self.stream.shown() if self.stream else "", own, *(f"[preview of {url}]" for url in previews))
        return "\n".join(part for part in parts if part)


class Workspace:
    """Threads may share it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.users: dict[str, User] = {BOT_USER: User(BOT_USER, "vouch", is_bot=True)}
        self.groups: dict[str, UserGroup] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: list[Message] = []
        self.views: list[dict[str, Any]] = []           # modals and home tabs that were opened
        self.triggers = Triggers()
        self.statuses: list[tuple[str, str, str]] = []
        self.clock = time.monotonic                     # of what ends by itself: streams and what is shown as status
        self._status: dict[tuple[str, str], tuple[str, float]] = {}
        self.prompts: list[tuple[str, dict[str, str]]] = []     # channel, and what each title says when it is chosen
        self._last = 0

    def user(self, id_: str, name: str, email: str = "", **rest: Any) -> User:
        self.users[id_] = User(id_, name, email, **rest)
        return self.users[id_]

    def group(self, id_: str, handle: str, members: list[str]) -> UserGroup:
        self.groups[id_] = UserGroup(id_, handle, members)
        return self.groups[id_]

    def channel(self, id_: str, name: str, members: list[str], kind: str = "channel", **rest: Any) -> Channel:
        self.channels[id_] = Channel(id_, name, kind, [*members, BOT_USER], **rest)
        return self.channels[id_]

    def direct(self, user: str) -> Channel:
        """The conversation of one person with the bot."""
        with self.lock:
            found = [c for c in self.channels.values() if c.kind == "im" and user in c.members]
            return found[0] if found else self.channel(f"D{user[1:]}", "", [user], "im")

    def together(self, users: Iterable[str]) -> Channel:
        """The one conversation that these people and the bot have as a group, whoever opens it. Raises Refused."""
        inside = sorted({*users} - {BOT_USER})
        if not 2 <= len(inside) <= MOST_TOGETHER:
            raise Refused("not_enough_users" if len(inside) < 2 else "too_many_users")
        with self.lock:
            for channel in self.channels.values():
                if channel.kind == "mpim" and sorted({*channel.members} - {BOT_USER}) == inside:
                    return channel
            name = f"mpdm-{'--'.join(self.users[one].name.lower() for one in inside)}-1"
            return self.channel(f"G{len(self.channels) + 1:04}", name, inside, "mpim")

    def moment(self) -> str:
        """A timestamp that no other message has."""
        with self.lock:
            self._last = max(self._last + 1, time.time_ns() // 1000)
            return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def put(self, message: Message) -> Message:
        with self.lock:
            self.messages.append(message)
        return message

    @property
    def status(self) -> dict[tuple[str, str], str]:
        """What is shown now, by channel and thread. It goes away by itself if the app writes nothing there."""
        with self.lock:
            return {place: words for place, (words, since) in self._status.items()
                    if self.clock() - since <= STATUS_S}

    def set_status(self, channel: str, thread_ts: str, words: str) -> None:
        with self.lock:
            self._status[channel, thread_ts] = words, self.clock()

    def clear_status(self, channel: str, thread_ts: str) -> None:
        """As Slack does when the app writes there."""
        with self.lock:
            self._status.pop((channel, thread_ts), None)

    def find(self, channel: str, ts: str) -> Message | None:
        with self.lock:
            return next((m for m in self.messages if (m.channel, m.ts) == (channel, ts) and not m.only_for), None)

    def has_replies(self, channel: str, thread_ts: str) -> bool:
        """Whether people see replies in the thread."""
        with self.lock:
            return any(m.channel == channel and m.thread_ts == thread_ts and m.ts != thread_ts
                       and not m.only_for and not m.deleted for m in self.messages)

    def seen_by(self, user: str, channel: str) -> list[Message]:
        """What this person sees in the channel, threads included; nothing if not a member."""
        with self.lock:
            if user not in self.channels[channel].members:
                return []
            return [m for m in self.messages if m.channel == channel and m.only_for in (None, user)]
