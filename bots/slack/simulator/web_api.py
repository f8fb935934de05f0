"""The methods of the Web API that a bot uses, as strict about arguments, scopes, and membership as Slack."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bots.slack.simulator import streaming
from bots.slack.simulator.arguments import Arguments, as_typed, check_metadata, check_words, one_page
from bots.slack.simulator.drawing import Refused, check_view
from bots.slack.simulator.workspace import APP_ID, BOT_ID, BOT_USER, TEAM, Channel, Message, Workspace

_FORMS_ONLY = ("users.", "usergroups.", "conversations.info", "conversations.members", "conversations.history",
               "conversations.replies")
_TS = re.compile(r"[0-9]{1,12}\.[0-9]{6}")


@dataclass(frozen=True)
class Method:
    required: frozenset[str]
    optional: frozenset[str]
    scopes: tuple[str, ...]             # one of them is enough
    run: Callable[["WebApi", Arguments], dict[str, Any]]


class WebApi:
    def __init__(self, workspace: Workspace, scopes: frozenset[str]) -> None:
        self.workspace = self._workspace = workspace
        self.scopes = scopes
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def call(self, name: str, given: Arguments, *, as_json: bool = False) -> dict[str, Any]:
        """What Slack says; `ok` false and its error for anything it would not take."""
        try:
            method = METHODS.get(name)
            if method is None:
                raise Refused("unknown_method")
            if as_json and given and name.startswith(_FORMS_ONLY):
                raise Refused("invalid_arguments")      # Slack does not look at the body
            arguments = as_typed(given)
            self.calls.append((name, dict(arguments)))
            if method.scopes and self.scopes.isdisjoint(method.scopes):
                return {"ok": False, "error": "missing_scope", "needed": ",".join(method.scopes)}
            if not arguments.keys() >= method.required or arguments.keys() - method.required - method.optional:
                raise Refused("invalid_arguments")
            with self._workspace.lock:
                return {"ok": True} | method.run(self, arguments)
        except Refused as error:
            return {"ok": False, "error": str(error)}
        except (KeyError, TypeError, AttributeError, ValueError):
            return {"ok": False, "error": "invalid_arguments"}

    def _channel(self, id_: str, *, member: bool = True) -> Channel:
        channel = self._workspace.channels.get(id_)
        if channel is None or (channel.kind != "channel" and BOT_USER not in channel.members):
            raise Refused("channel_not_found")
        if member and BOT_USER not in channel.members:
            raise Refused("not_in_channel")
        return channel

    def writable(self, id_: str) -> Channel:
        return self._channel(id_)

    def auth_test(self, _: Arguments) -> dict[str, Any]:
        return {"url": "https://acme.slack.com/", "team": "Acme", "team_id": TEAM, "user": "vouch",
                "user_id": BOT_USER, "bot_id": BOT_ID, "app_id": APP_ID, "is_enterprise_install": False}

    def post_message(self, given: Arguments) -> dict[str, Any]:
        channel = self._channel(given["channel"])
        if channel.archived:
            raise Refused("is_archived")
        check_words(given)
        metadata = given.get("metadata")
        check_metadata(metadata)
        parent = self._parent(channel, given.get("thread_ts"))
        message = self._workspace.put(Message(
            self._workspace.moment(), channel.id, BOT_USER, str(given.get("text", ""))[:40_000],
            given.get("blocks", []), parent, metadata,
        ))
        self._workspace.clear_status(channel.id, parent or "")
        return {"channel": channel.id, "ts": message.ts, "message": message.json(metadata=True)}

    def post_ephemeral(self, given: Arguments) -> dict[str, Any]:
        channel = self._channel(given["channel"])
        if channel.archived:
            raise Refused("is_archived")
        user = self._workspace.users.get(given["user"])
        if user is None or user.id not in channel.members or user.deleted or user.is_bot:
            raise Refused("user_not_in_channel")
        check_words(given)
        message = self._workspace.put(Message(
            self._workspace.moment(), channel.id, BOT_USER, given.get("text", ""), given.get("blocks", []),
            self._parent(channel, given.get("thread_ts")), None, given["user"],
        ))
        return {"message_ts": message.ts}

    def info(self, given: Arguments) -> dict[str, Any]:
        return {"channel": self._channel(given["channel"], member=False).json()}

    def members(self, given: Arguments) -> dict[str, Any]:
        channel = self._channel(given["channel"], member=False)
        return one_page("members", list(channel.members), given, 100)

    def history(self, given: Arguments) -> dict[str, Any]:
        channel = self._channel(given["channel"])
        rows = [m for m in self._workspace.messages
                if m.channel == channel.id and not m.only_for and m.thread_ts in (None, m.ts)]
        return self._messages(sorted(rows, key=lambda m: m.ts, reverse=True), given)

    def replies(self, given: Arguments) -> dict[str, Any]:
        channel = self._channel(given["channel"])
        named = self._workspace.find(channel.id, given["ts"])
        if named is None:
            raise Refused("thread_not_found")
        root = named.thread_ts or named.ts
        rows = [m for m in self._workspace.messages
                if m.channel == channel.id and not m.only_for and root in (m.ts, m.thread_ts)]
        if named.ts != root:
            rows = [named]
        return self._messages(rows, given)

    def _messages(self, rows: list[Message], given: Arguments) -> dict[str, Any]:
        oldest, latest, whole = given.get("oldest", "0"), given.get("latest", "9" * 12), given.get("inclusive", False)
        kept = [m for m in rows if float(oldest) < float(m.ts) < float(latest)
                or (whole and m.ts in (oldest, latest)) or (m is rows[0] and "ts" in given)]
        told = [m.json(metadata=bool(given.get("include_all_metadata"))) for m in kept]
        page = one_page("messages", told, given, 100)
        return page | {"has_more": bool(page["response_metadata"]["next_cursor"])}

    def _parent(self, channel: Channel, thread_ts: str | None) -> str | None:
        """Of a thread that is gone Slack makes a message of its own, in the thread all the same.

        A reply is none that others could reply to: what names one goes to the thread that it is in.
        """
        if thread_ts is None:
            return None
        if not _TS.fullmatch(thread_ts):
            raise Refused("invalid_thread_ts")
        named = self._workspace.find(channel.id, thread_ts)
        return named.thread_ts or thread_ts if named is not None else thread_ts

    def open(self, given: Arguments) -> dict[str, Any]:
        users = [one.strip() for one in given["users"].split(",")]
        if not all(one in self._workspace.users for one in users):
            raise Refused("user_not_found")
        if len(users) == 1:
            return {"channel": {"id": self._workspace.direct(users[0]).id}}
        if "mpim:write" not in self.scopes:
            raise Refused("missing_scope")
        return {"channel": {"id": self._workspace.together(users).id}}

    def user(self, given: Arguments) -> dict[str, Any]:
        user = self._workspace.users.get(given["user"])
        if user is None:
            raise Refused("user_not_found")
        told = user.json()
        if "users:read.email" not in self.scopes:
            del told["profile"]["email"]
        return {"user": told}

    def everybody(self, given: Arguments) -> dict[str, Any]:
        return one_page("members", [self.user({"user": one})["user"] for one in self._workspace.users], given, 1000)

    def by_email(self, given: Arguments) -> dict[str, Any]:
        wanted = given["email"].lower()
        found = [u for u in self._workspace.users.values() if u.email.lower() == wanted and not u.deleted]
        if not found:
            raise Refused("users_not_found")
        return {"user": found[0].json()}

    def groups(self, given: Arguments) -> dict[str, Any]:
        rows = []
        for group in self._workspace.groups.values():
            if not group.disabled or given.get("include_disabled"):
                more = {"users": list(group.members)} if given.get("include_users") else {}
                count = {"user_count": len(group.members)} if given.get("include_count") else {}
                rows.append(group.json() | more | count)
        return {"usergroups": rows}

    def group_members(self, given: Arguments) -> dict[str, Any]:
        group = self._workspace.groups.get(given["usergroup"])
        if group is None or (group.disabled and not given.get("include_disabled")):
            raise Refused("no_such_subteam")
        return {"users": list(group.members)}

    def conversations(self, given: Arguments) -> dict[str, Any]:
        return one_page("channels", [c.json() for c in self._workspace.channels.values() if BOT_USER in c.members],
                     given, 100)

    def view(self, given: Arguments) -> dict[str, Any]:
        view = given["view"]
        check_view(view)
        if "trigger_id" in given:
            self._workspace.triggers.use(given["trigger_id"])
        elif given["user_id"] not in self._workspace.users:
            raise Refused("user_not_found")
        self._workspace.views.append(dict(view) | {"for": given.get("user_id", "")})
        return {"view": {"id": f"V{len(self._workspace.views)}", **view}}

    def status(self, given: Arguments) -> dict[str, Any]:
        if len(given.get("loading_messages", [])) > 10 or not _TS.fullmatch(given["thread_ts"]):
            raise Refused("invalid_arguments")
        self._channel(given["channel_id"])
        if given["status"]:
            self._workspace.set_status(given["channel_id"], given["thread_ts"], given["status"])
        else:
            self._workspace.clear_status(given["channel_id"], given["thread_ts"])
        self._workspace.statuses.append((given["channel_id"], given["thread_ts"], given["status"]))
        return {}

    def prompts(self, given: Arguments) -> dict[str, Any]:
        """Pinned to the top of the messages tab, where no thread is named."""
        prompts = given["prompts"]
        if not 1 <= len(prompts) <= 4 or any(one.keys() != {"title", "message"} for one in prompts):
            raise Refused("invalid_arguments")
        self._workspace.prompts.append((given["channel_id"], {one["title"]: one["message"] for one in prompts}))
        return {}


def _method(
    run: Callable[[WebApi, Arguments], dict[str, Any]], required: str = "", optional: str = "", scopes: str = ""
) -> Method:
    return Method(frozenset(required.split()), frozenset(optional.split()), tuple(scopes.split()), run)


_POST = "text blocks thread_ts metadata parse link_names unfurl_links unfurl_media mrkdwn"
_STREAM = "markdown_text chunks"
_READ = "channels:history groups:history im:history mpim:history"
_LOOK = "channels:read groups:read im:read mpim:read"
METHODS: dict[str, Method] = {
    "auth.test": _method(WebApi.auth_test),
    "chat.postMessage": _method(WebApi.post_message, "channel", _POST, "chat:write"),
    "chat.startStream": _method(streaming.start, "channel thread_ts", f"{_STREAM} recipient_user_id recipient_team_id"
                                " task_display_mode", "chat:write"),
    "chat.appendStream": _method(streaming.append, "channel ts", _STREAM, "chat:write"),
    "chat.stopStream": _method(streaming.stop, "channel ts", f"{_STREAM} blocks metadata", "chat:write"),
    "chat.update": _method(streaming.update, "channel ts", "text blocks metadata parse link_names", "chat:write"),
    "chat.delete": _method(streaming.delete, "channel ts", "", "chat:write"),
    "chat.postEphemeral": _method(WebApi.post_ephemeral, "channel user", "text blocks thread_ts parse link_names",
                                  "chat:write"),
    "conversations.info": _method(WebApi.info, "channel", "include_locale include_num_members", _LOOK),
    "conversations.members": _method(WebApi.members, "channel", "cursor limit", _LOOK),
    "conversations.history": _method(WebApi.history, "channel",
                                     "cursor limit oldest latest inclusive include_all_metadata", _READ),
    "conversations.replies": _method(WebApi.replies, "channel ts",
                                     "cursor limit oldest latest inclusive include_all_metadata", _READ),
    "conversations.open": _method(WebApi.open, "users", "return_im", "im:write mpim:write"),
    "users.conversations": _method(WebApi.conversations, "", "cursor limit types exclude_archived user", _LOOK),
    "users.info": _method(WebApi.user, "user", "include_locale", "users:read"),
    "users.list": _method(WebApi.everybody, "", "cursor limit include_locale team_id", "users:read"),
    "users.lookupByEmail": _method(WebApi.by_email, "email", "", "users:read.email"),
    "usergroups.list": _method(WebApi.groups, "", "include_count include_disabled include_users", "usergroups:read"),
    "usergroups.users.list": _method(WebApi.group_members, "usergroup", "include_disabled", "usergroups:read"),
    "views.open": _method(WebApi.view, "view trigger_id"),
    "views.publish": _method(WebApi.view, "user_id view", "hash"),
    "assistant.threads.setStatus": _method(WebApi.status, "channel_id thread_ts status", "loading_messages",
                                           "chat:write assistant:write"),
    "assistant.threads.setSuggestedPrompts": _method(WebApi.prompts, "channel_id prompts", "thread_ts title",
                                                     "assistant:write"),
}  # fmt: skip
