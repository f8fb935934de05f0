"""The methods of the Web API that a bot uses, as strict about arguments, scopes, and membership as Slack."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bots.slack.simulator import conversations, people, posting, showing, streaming
from bots.slack.simulator.arguments import Arguments, as_typed
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.workspace import BOT_ID, BOT_USER, TEAM, Workspace

_FORMS_ONLY = ("users.", "usergroups.", "conversations.info", "conversations.members", "conversations.history",
               "conversations.replies")


@dataclass(frozen=True)
class Method:
    required: frozenset[str]
    optional: frozenset[str]
    scopes: tuple[str, ...]             # one of them is enough
    run: Callable[["WebApi", Arguments], dict[str, Any]]


class WebApi:
    def __init__(self, workspace: Workspace, scopes: frozenset[str]) -> None:
        self.workspace = workspace
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
            with self.workspace.lock:
                return {"ok": True} | method.run(self, arguments)
        except Refused as error:
            return {"ok": False, "error": str(error)}
        except (KeyError, TypeError, AttributeError, ValueError):
            return {"ok": False, "error": "invalid_arguments"}


def _me(api: WebApi, _: Arguments) -> dict[str, Any]:
    return {"url": "https://acme.slack.com/", "team": "Acme", "team_id": TEAM, "user": "vouch", "user_id": BOT_USER,
            "bot_id": BOT_ID, "is_enterprise_install": False}


def _method(
    run: Callable[[WebApi, Arguments], dict[str, Any]], required: str = "", optional: str = "", scopes: str = ""
) -> Method:
    return Method(frozenset(required.split()), frozenset(optional.split()), tuple(scopes.split()), run)


_POST = "text blocks thread_ts metadata parse link_names unfurl_links unfurl_media mrkdwn"
_STREAM = "markdown_text chunks"
_PAGE = "cursor limit"
_PART = f"{_PAGE} oldest latest inclusive include_all_metadata"
_READ = "channels:history groups:history im:history mpim:history"
_LOOK = "channels:read groups:read im:read mpim:read"
METHODS: dict[str, Method] = {
    "auth.test": _method(_me),
    "chat.postMessage": _method(posting.post_message, "channel", _POST, "chat:write"),
    "chat.postEphemeral": _method(posting.post_ephemeral, "channel user", "text blocks thread_ts parse link_names",
                                  "chat:write"),
    "chat.startStream": _method(streaming.start, "channel thread_ts", f"{_STREAM} recipient_user_id recipient_team_id"
                                " task_display_mode", "chat:write"),
    "chat.appendStream": _method(streaming.append, "channel ts", _STREAM, "chat:write"),
    "chat.stopStream": _method(streaming.stop, "channel ts", f"{_STREAM} blocks metadata", "chat:write"),
    "chat.update": _method(streaming.update, "channel ts", "text blocks metadata parse link_names", "chat:write"),
    "chat.delete": _method(streaming.delete, "channel ts", "", "chat:write"),
    "conversations.info": _method(conversations.info, "channel", "include_locale include_num_members", _LOOK),
    "conversations.members": _method(conversations.members, "channel", _PAGE, _LOOK),
    "conversations.history": _method(conversations.history, "channel", _PART, _READ),
    "conversations.replies": _method(conversations.replies, "channel ts", _PART, _READ),
    "conversations.open": _method(conversations.open_direct, "users", "return_im", "im:write mpim:write"),
    "users.conversations": _method(conversations.joined_conversations, "", f"{_PAGE} types exclude_archived", _LOOK),
    "users.info": _method(people.user, "user", "include_locale", "users:read"),
    "users.list": _method(people.everybody, "", f"{_PAGE} include_locale team_id", "users:read"),
    "users.lookupByEmail": _method(people.by_email, "email", "", "users:read.email"),
    "usergroups.list": _method(people.groups, "", "include_count include_disabled include_users", "usergroups:read"),
    "usergroups.users.list": _method(people.group_members, "usergroup", "include_disabled", "usergroups:read"),
    "views.open": _method(showing.open_window, "view trigger_id"),
    "views.publish": _method(showing.publish_home, "user_id view"),
    "assistant.threads.setStatus": _method(showing.status, "channel_id thread_ts status", "loading_messages",
                                           "chat:write assistant:write"),
    "assistant.threads.setSuggestedPrompts": _method(showing.prompts, "channel_id prompts", "title", "assistant:write"),
}  # fmt: skip
