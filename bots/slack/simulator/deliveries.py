"""What Slack tells an app: events, pressed buttons, and commands."""

import random
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bots.slack.simulator.app_requests import AppRequests
from bots.slack.simulator.blocks import check_blocks
from bots.slack.simulator.hooks import Hooks
from bots.slack.simulator.refused import require
from bots.slack.simulator.socket_mode import SocketMode
from bots.slack.simulator.views import check_view
from bots.slack.simulator.workspace import APP_ID, BOT_USER, TEAM, TEAM_DOMAIN, Channel, Message, UserGroup, Workspace

RETRIES_S = (0.0, 60.0, 300.0)          # how long Slack waits before it tells an event again
HASTE = 1000.0                          # so much sooner it is told again here
_KINDS = {"channel": "message.channels", "private": "message.groups", "im": "message.im", "mpim": "message.mpim"}
_TYPES = {"channel": "channel", "private": "group", "im": "im", "mpim": "mpim"}


@dataclass(frozen=True)
class Delivered:
    event: dict[str, Any]
    acked: bool
    seconds: float
    tries: int


class Deliveries:
    """`log` keeps each delivery; `retries` is how long Slack waits before it tries again."""

    def __init__(
        self, workspace: Workspace, subscribed: frozenset[str], sockets: SocketMode, secret: str, commands: set[str],
        shortcuts: set[str], hooks: Hooks,
    ) -> None:  # fmt: skip
        self._workspace = workspace
        self._subscribed = subscribed
        self._commands = commands
        self._shortcuts = shortcuts
        self._hooks = hooks
        self.app = AppRequests(sockets, secret)
        self.retries: tuple[float, ...] = tuple(seconds / HASTE for seconds in RETRIES_S)
        self.log: list[Delivered] = []
        self._held: list[dict[str, Any]] | None = None

    def say(self, user: str, channel: Channel, text: str, thread_ts: str | None = None, **rest: Any) -> Message:
        """The message is there, and the app is told as its subscriptions say."""
        message = self._workspace.put(Message(self._workspace.moment(), channel.id, user, text, thread_ts=thread_ts))
        event = {"type": "message", "channel": channel.id, "channel_type": _TYPES[channel.kind], "user": user,
                 "text": text, "ts": message.ts, "event_ts": message.ts, "team": TEAM, **rest}
        if thread_ts:
            event["thread_ts"] = thread_ts
        if BOT_USER in channel.members:
            if f"<@{BOT_USER}>" in text and channel.kind != "im":
                mention = {k: v for k, v in event.items() if k != "channel_type"} | {"type": "app_mention"}
                self.event(mention, "app_mention")
            self.event(event, _KINDS[channel.kind])
        return message

    def edit(self, message: Message, text: str) -> None:
        """Its author says it otherwise, and the app is told as Slack tells it."""
        before, message.text = self._told(message), text
        message.edited = {"user": message.user, "ts": self._workspace.moment()}
        now = self._told(message) | {"edited": message.edited}
        self._news("message_changed", message, message=now, previous_message=before)

    def delete(self, message: Message) -> None:
        """Where there are replies, Slack keeps a message without its words in its place."""
        before = self._told(message)
        with self._workspace.lock:
            replies = any(one.thread_ts == message.ts for one in self._workspace.messages)
            if replies:
                message.user, message.text, message.deleted = "USLACKBOT", "This message was deleted.", True
            else:
                self._workspace.messages.remove(message)
        if replies:
            now = message.json(metadata=False) | {"hidden": True}
            self._news("message_changed", message, message=now, previous_message=before)
        else:
            self._news("message_deleted", message, deleted_ts=message.ts, previous_message=before)

    def _news(self, subtype: str, about: Message, **rest: Any) -> None:
        channel, moment = self._workspace.channels[about.channel], self._workspace.moment()
        event = {"type": "message", "subtype": subtype, "hidden": True, "channel": channel.id, "ts": moment,
                 "channel_type": _TYPES[channel.kind], "event_ts": moment, **rest}
        if BOT_USER in channel.members:
            self.event(event, _KINDS[channel.kind])

    @staticmethod
    def _told(message: Message) -> dict[str, Any]:
        told = {"type": "message", "user": message.user, "text": message.text, "ts": message.ts}
        return told | ({"thread_ts": message.thread_ts} if message.thread_ts else {})

    def react(self, user: str, message: Message, name: str, *, removed: bool = False) -> None:
        """A thumb is `+1` or `-1`. One that is not there any more can be told to be removed all the same."""
        kind = "reaction_removed" if removed else "reaction_added"
        with self._workspace.lock:
            those = [person for person in message.reactions.pop(name, []) if person != user]
            if those or not removed:
                message.reactions[name] = those if removed else [*those, user]
        self.event({
            "type": kind, "user": user, "reaction": name, "item_user": message.user,
            "item": {"type": "message", "channel": message.channel, "ts": message.ts},
            "event_ts": self._workspace.moment(),
        }, kind)  # fmt: skip

    def join(self, user: str, channel: Channel) -> None:
        """A member from now on, who sees what was said before; the app is told if it has subscribed."""
        if user not in channel.members:
            channel.members.append(user)
            self._membership("member_joined_channel", user, channel)

    def leave(self, user: str, channel: Channel) -> None:
        if user in channel.members:
            channel.members.remove(user)
            self._membership("member_left_channel", user, channel)

    def account(self, user: str, **changes: Any) -> None:
        """What Slack says of somebody changes, and the app is told if it has subscribed."""
        person = self._workspace.users[user]
        for name, value in changes.items():
            setattr(person, name, value)
        self.event({"type": "user_change", "user": person.json(), "event_ts": self._workspace.moment()}, "user_change")

    def share(self, channel: Channel, *, shared: bool = True) -> None:
        """With another organisation, or with none any more."""
        channel.shared = shared
        kind = "channel_shared" if shared else "channel_unshared"
        self.event({"type": kind, "channel": channel.id, "event_ts": self._workspace.moment()}, kind)

    def regroup(self, group: UserGroup, members: list[str]) -> None:
        """Other people are in a user group."""
        group.members = members
        self.event({"type": "subteam_members_changed", "subteam_id": group.id, "team_id": TEAM,
                    "event_ts": self._workspace.moment()}, "subteam_members_changed")

    def _membership(self, kind: str, user: str, channel: Channel) -> None:
        self.event({
            "type": kind, "user": user, "channel": channel.id, "channel_type": channel.id[0], "team": TEAM,
            "event_ts": self._workspace.moment(),
        }, kind)  # fmt: skip

    def opened(self, user: str, tab: str) -> None:
        """The person looks at a tab of the app: `home` or `messages`."""
        self.event({"type": "app_home_opened", "user": user, "tab": tab, "event_ts": self._workspace.moment(),
                    "channel": self._workspace.direct(user).id}, "app_home_opened")

    def knows(self, command: str) -> bool:
        return command in self._commands

    def event(self, event: dict[str, Any], subscription: str, event_id: str = "") -> Delivered | None:
        """Delivered, and again as Slack does until it is acknowledged; None if the app did not subscribe."""
        if subscription not in self._subscribed:
            return None
        body = {
            "token": "unused", "team_id": TEAM, "api_app_id": APP_ID, "type": "event_callback", "event": event,
            "event_id": event_id or _event_id(), "event_time": int(time.time()),
            "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True, "enterprise_id": None}],
        }  # fmt: skip
        if self._held is not None:
            self._held.append(body)
            return None
        return self.repeat(body)

    @contextmanager
    def muddled(self, chance: random.Random, most: int = 3) -> Iterator[None]:
        """What happens in it is told afterwards: in any order, each event once or up to `most` times, under its own
        id or another."""
        bodies: list[dict[str, Any]] = []
        self._held = bodies
        try:
            yield
        finally:
            self._held = None
        repeats = [body for body in bodies for _ in range(chance.randint(1, most))]
        chance.shuffle(repeats)
        for body in repeats:
            chance.choice((self.repeat, self.anew))(body)

    def repeat(self, body: dict[str, Any]) -> Delivered:
        """As Slack does: until it is acknowledged, or the app wants no more of it."""
        acked, tries, began = False, 0, time.monotonic()
        for wait in (None, *self.retries):
            if wait is not None:
                time.sleep(wait)
            began = time.monotonic()
            acked = self.app.send("events_api", body, tries)[0]
            tries += 1
            if acked or not self.app.again:
                break
        done = Delivered(body, acked, time.monotonic() - began, tries)
        self.log.append(done)
        return done

    def anew(self, body: dict[str, Any]) -> Delivered:
        """The same words as an event of another id, as if Slack took them for something new."""
        return self.repeat(body | {"event_id": _event_id()})

    def press(self, user: str, message: Message, action: dict[str, Any]) -> bool:
        """`action`: its type, action_id, and value, as the message has them."""
        payload: dict[str, Any] = {
            "type": "block_actions", "user": {"id": user, "team_id": TEAM}, "team": {"id": TEAM}, "api_app_id": APP_ID,
            "trigger_id": self._workspace.triggers.give(uuid.uuid4().hex, user), "channel": {"id": message.channel},
            "container": {"type": "message", "message_ts": message.ts, "channel_id": message.channel,
                          "is_ephemeral": message.only_for is not None,
                          **({"thread_ts": message.thread_ts} if message.thread_ts else {})},
            "response_url": self._hooks.give(message.channel, user, message),
            "actions": [{"block_id": "b", "action_ts": self._workspace.moment(), **action}],
        }  # fmt: skip
        if message.only_for is None:
            payload["message"] = message.json(metadata=False)       # Slack keeps none that one person alone sees
        return self.app.send("interactive", payload)[0]

    def shortcut(self, user: str, message: Message, callback_id: str) -> bool:
        """Chosen from the menu of a message."""
        assert callback_id in self._shortcuts, callback_id
        payload = {
            "type": "message_action", "callback_id": callback_id, "user": {"id": user, "team_id": TEAM},
            "team": {"id": TEAM}, "api_app_id": APP_ID, "trigger_id": uuid.uuid4().hex,
            "channel": {"id": message.channel}, "message_ts": message.ts, "message": message.json(metadata=False),
            "action_ts": self._workspace.moment(),
            "response_url": self._hooks.give(message.channel, user),
        }  # fmt: skip
        return self.app.send("interactive", payload)[0]

    def submit(self, user: str, view: dict[str, Any], values: dict[str, Any]) -> bool:
        return self.submitted(user, view, values)[0]

    def submitted(self, user: str, view: dict[str, Any], values: dict[str, Any]) -> tuple[bool, Any]:
        """Whether it was acknowledged, and what the window is told."""
        payload = {
            "type": "view_submission", "user": {"id": user, "team_id": TEAM}, "team": {"id": TEAM},
            "api_app_id": APP_ID, "trigger_id": self._workspace.triggers.give(uuid.uuid4().hex, user),
            "view": dict(view) | {"state": {"values": values}},
        }  # fmt: skip
        acked, told = self.app.send("interactive", payload)
        if isinstance(told, dict) and "response_action" in told:
            self._take(user, view, told)
        return acked, told

    def _take(self, user: str, view: dict[str, Any], told: dict[str, Any]) -> None:
        """What the window shall do. Raises Refused where people would be told that the app failed."""
        match told["response_action"]:
            case "update":
                check_view(told["view"], "modal")
                self._workspace.views.append(dict(told["view"]) | {"for": user})
            case "errors":
                asked = {block.get("block_id") for block in view["blocks"] if block["type"] == "input"}
                require(bool(told["errors"]) and told["errors"].keys() <= asked)
            case other:
                require(other == "clear")

    def command(self, user: str, channel: Channel, name: str, text: str) -> str:
        """What the person sees at once; a command that is not in the manifest does not exist."""
        assert name in self._commands, name
        payload = {"command": name, "text": text, "user_id": user, "channel_id": channel.id, "team_id": TEAM,
                   "user_name": self._workspace.users[user].name, "channel_name": _channel_name(channel),
                   "team_domain": TEAM_DOMAIN, "token": "unused", "is_enterprise_install": "false",
                   "api_app_id": APP_ID, "trigger_id": self._workspace.triggers.give(uuid.uuid4().hex, user),
                   "response_url": self._hooks.give(channel.id, user)}
        acked, reply = self.app.send("slash_commands", payload)
        if not acked:
            return f"{name} failed"
        words = reply.get("text", "") if isinstance(reply, dict) else str(reply or "")
        if words:
            blocks = reply.get("blocks", []) if isinstance(reply, dict) else []
            check_blocks(blocks)
            message = Message(self._workspace.moment(), channel.id, BOT_USER, words, blocks, only_for=user)
            words = self._workspace.put(message).shown()
        return words


def _channel_name(channel: Channel) -> str:
    """As commands name it."""
    return {"im": "directmessage", "private": "privategroup"}.get(channel.kind, channel.name)


def _event_id() -> str:
    return f"Ev{uuid.uuid4().hex[:10].upper()}"
