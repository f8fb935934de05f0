"""Conversations: what they are, who is in them, and what was said there."""

import re
from typing import Any

from bots.slack.simulator.api import Api, Arguments, joined, known, lists, scoped
from bots.slack.simulator.arguments import one_page
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.workspace import BOT_USER, Message

_TYPES = {"public_channel": "channel", "private_channel": "private", "im": "im", "mpim": "mpim"}
METADATA = "metadata.message:read"
_MOMENT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")


def info(api: Api, given: Arguments) -> dict[str, Any]:
    return {"channel": scoped(api, known(api, given["channel"]), "read").json()}


def members(api: Api, given: Arguments) -> dict[str, Any]:
    channel = scoped(api, known(api, given["channel"]), "read")
    return one_page("members", list(channel.members), given, 100)


def history(api: Api, given: Arguments) -> dict[str, Any]:
    channel = scoped(api, joined(api, given["channel"]), "history")
    rows = [m for m in api.workspace.messages
            if m.channel == channel.id and not m.only_for and m.thread_ts in (None, m.ts)]
    return _messages(api, sorted(rows, key=lambda m: m.ts, reverse=True), given)


def replies(api: Api, given: Arguments) -> dict[str, Any]:
    channel = scoped(api, joined(api, given["channel"]), "history")
    named = api.workspace.find(channel.id, given["ts"])
    if named is None:
        raise Refused("thread_not_found")
    root = named.thread_ts or named.ts
    rows = [m for m in api.workspace.messages
            if m.channel == channel.id and not m.only_for and root in (m.ts, m.thread_ts)]
    if named.ts != root:
        rows = [named]
    return _messages(api, rows, given)


def _with_metadata(api: Api, given: Arguments) -> bool:
    """Slack's reference does not say whether an app needs the scope for messages of its own; here it does."""
    return bool(given.get("include_all_metadata")) and METADATA in api.scopes


def _messages(api: Api, rows: list[Message], given: Arguments) -> dict[str, Any]:
    for name in ("oldest", "latest"):
        if not _MOMENT.fullmatch(given.get(name, "0")):
            raise Refused(f"invalid_ts_{name}")
    oldest, latest, whole = given.get("oldest", "0"), given.get("latest", "9" * 12), given.get("inclusive", False)
    kept = [m for m in rows if float(oldest) < float(m.ts) < float(latest)
            or (whole and m.ts in (oldest, latest)) or (m is rows[0] and "ts" in given)]
    page = one_page("messages", [m.json(metadata=_with_metadata(api, given)) for m in kept], given, 100)
    return page | {"has_more": bool(page["response_metadata"]["next_cursor"])}


def open_direct(api: Api, given: Arguments) -> dict[str, Any]:
    users = [one.strip() for one in given["users"].split(",")]
    if not all(one in api.workspace.users for one in users):
        raise Refused("user_not_found")
    if ("im:write" if len(users) == 1 else "mpim:write") not in api.scopes:
        raise Refused("missing_scope")
    if len(users) > 1:
        return {"channel": {"id": api.workspace.together(users).id}}
    if api.workspace.users[users[0]].is_bot:
        raise Refused("cannot_dm_bot")
    if api.workspace.users[users[0]].deleted:
        raise Refused("user_disabled")
    return {"channel": {"id": api.workspace.direct(users[0]).id}}


def joined_conversations(api: Api, given: Arguments) -> dict[str, Any]:
    """Those the app is in; public channels alone where no types are named."""
    types = given.get("types", "public_channel").split(",")
    if not set(types) <= _TYPES.keys():
        raise Refused("invalid_types")
    kinds = {_TYPES[one] for one in types}
    if not all(lists(api, kind) for kind in kinds):
        raise Refused("missing_scope")
    rows = [c.json() for c in api.workspace.channels.values() if BOT_USER in c.members and c.kind in kinds
            and not (c.archived and given.get("exclude_archived"))]
    return one_page("channels", rows, given, 100)
