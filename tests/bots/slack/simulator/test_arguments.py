"""Each method of the loopback Slack refuses what Slack refuses, in Slack's words, and changes nothing then."""

from collections.abc import Iterator
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bots.slack.channels.window import channel_view
from bots.slack.handoff.views import agreement_view, resolution_view
from bots.slack.hearing.voting import reason_view
from bots.slack.personal.views import home_view
from bots.slack.simulator import SlackServer
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.server import BOT_TOKEN
from bots.slack.simulator.web_api import METHODS
from bots.slack.simulator.workspace import BOT_USER
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
FORMS = ("users.", "usergroups.", "conversations.")
DATA = {"event_type": "e", "event_payload": {"a": "b"}}
ROOT = {"channel": "C1", "thread_ts": "1.000001"}


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def button(**more: Any) -> dict[str, Any]:
    return {"type": "button", "action_id": "a", "text": plain("b"), "value": "v"} | more


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": plain(text)}


def rich(*parts: Any) -> dict[str, Any]:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [*parts]}]}


WRITTEN = {"type": "plain_text_input", "action_id": "w"}
CHOICE = {"type": "radio_buttons", "action_id": "c", "options": [{"text": plain("One"), "value": "1"}]}
PEOPLE = {"type": "multi_users_select", "action_id": "p"}


def asks(element: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "input", "label": plain("Label"), "element": element} | more


def window(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"type": "modal", "title": plain("t"), "submit": plain("s"), "blocks": [*blocks]} | more


@pytest.fixture(scope="module")
def started() -> Iterator[SlackServer]:
    with SlackServer() as slack:
        yield slack


@pytest.fixture
def slack(started: SlackServer) -> SlackServer:
    """A channel with somebody in it, and the conversation of this person with the bot."""
    space = started.workspace
    space.channels.clear()
    space.messages.clear()
    space.views.clear()
    space.user("U1", "Ana", "ana@acme.test")
    space.user("U2", "Gone", deleted=True)
    space.channel("C1", "one", ["U1", "U2"], "private")
    space.direct("U1")
    return started


def call(slack: SlackServer, method: str, given: dict[str, Any]) -> Any:
    form = {"params" if method.startswith(FORMS) and method != "conversations.open" else "json": given}
    return WebClient(BOT_TOKEN, base_url=slack.url, retry_handlers=[]).api_call(method, **form)


def refused(slack: SlackServer, method: str, given: dict[str, Any]) -> str:
    with pytest.raises(SlackApiError) as error:
        call(slack, method, given)
    return str(error.value.response["error"])


def begun(slack: SlackServer) -> str:
    more = {"recipient_user_id": "U1", "recipient_team_id": "T0ACME", "markdown_text": "a"}
    return str(call(slack, "chat.startStream", ROOT | more)["ts"])


BLOCKS: list[tuple[Any, str]] = [
    ([section("x")] * 51, "invalid_blocks"), ([section("x" * 3001)], "invalid_blocks"),
    ([section("")], "invalid_blocks"),
    ([section("x") | {"fields": []}], "invalid_blocks"), ([{"type": "section"}], "invalid_blocks"),
    ([{"type": "table"}], "invalid_blocks"), (["x"], "invalid_blocks"), ([{"type": ["section"]}], "invalid_blocks"),
    ([section("x") | {"block_id": "b"}] * 2, "invalid_blocks"),
    ([section("x") | {"block_id": "b" * 256}], "invalid_blocks"),
    ([section("x") | {"block_id": 1}], "invalid_blocks"),
    ([{"type": "header", "text": plain("x" * 151)}], "invalid_blocks"),
    ([{"type": "markdown", "text": "x" * 12_001}], "invalid_blocks"),
    ([{"type": "markdown", "text": "x" * 6_001}] * 2, "msg_blocks_too_long"),
    ([section("x" * 3000)] * 5, "msg_blocks_too_long"),
    ([{"type": "context", "elements": [plain("x")] * 11}], "invalid_blocks"),
    ([{"type": "actions", "elements": [button(action_id=f"{n}") for n in range(26)]}], "invalid_blocks"),
    ([{"type": "actions", "elements": [button()] * 2}], "invalid_blocks"),
    ([{"type": "actions", "elements": []}], "invalid_blocks"),
    ([{"type": "actions", "elements": [button(action_id="a" * 256)]}], "invalid_blocks"),
    ([{"type": "actions", "elements": [button(value="v" * 2001)]}], "invalid_blocks"),
    ([{"type": "actions", "elements": [button(style="green")]}], "invalid_blocks"),
    ([{"type": "actions", "elements": [button(text=plain("b" * 76))]}], "invalid_blocks"),
    ([{"type": "actions", "elements": [button(text={"type": "mrkdwn", "text": "b"})]}], "invalid_blocks"),
    ([{"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "a"}]}], "invalid_blocks"),
    ([rich()], "invalid_blocks"), ([rich({"type": "text", "text": ""})], "invalid_blocks"),
    ([rich({"type": "link", "url": "javascript:x"})], "invalid_blocks"),
    ([rich({"type": "text", "text": "x", "style": {"loud": True}})], "invalid_blocks"),
    ([asks({"type": "button"})], "invalid_blocks"),
]
METADATA: list[tuple[Any, str]] = [
    ({"event_type": "e"}, "invalid_metadata_format"), (DATA | {"more": 1}, "invalid_metadata_format"),
    (DATA | {"event_type": ""}, "invalid_metadata_format"), (DATA | {"event_type": 7}, "invalid_metadata_format"),
    (DATA | {"event_type": "e" * 256}, "invalid_metadata_format"),
    (DATA | {"event_payload": "x"}, "invalid_metadata_format"),
    (DATA | {"event_payload": {"x": "y" * 16_000}}, "metadata_too_large"),
]


@pytest.mark.parametrize("name", ["blocks", "metadata"])
@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update", "chat.stopStream", "chat.postEphemeral"])
def test_blocks_and_metadata_are_looked_at_wherever_they_are_given(
    slack: SlackServer, method: str, name: str
) -> None:
    ts = begun(slack) if method == "chat.stopStream" else call(slack, "chat.postMessage", ROOT | {"text": "x"})["ts"]
    given = {"chat.update": {"ts": ts, "text": "y"}, "chat.stopStream": {"ts": ts},
             "chat.postEphemeral": {"user": "U1", "text": "y"}}.get(method, {"text": "y"})
    cases = {"blocks": BLOCKS, "metadata": METADATA}[name]
    if method == "chat.postEphemeral" and name == "metadata":
        cases = [(DATA, "invalid_arguments")]       # what one person alone sees has none
    before = [m.json(metadata=True) for m in slack.workspace.messages]
    for wrong, said in cases:
        assert refused(slack, method, {"channel": "C1", name: wrong, **given}) == said, wrong
    assert [m.json(metadata=True) for m in slack.workspace.messages] == before


WINDOWS = [
    window(title=plain("t" * 25)), window(title={"type": "mrkdwn", "text": "t"}), window(submit=plain("s" * 25)),
    window(close=plain("")), window(private_metadata="p" * 3001), window(private_metadata={}),
    window(callback_id="c" * 256), window(colour="red"), window(*[section("x")] * 101), window(blocks={}),
    {name: part for name, part in window(asks(WRITTEN)).items() if name != "submit"}, home_view({}, []), {},
    window(section("x") | {"block_id": "b"}, asks(WRITTEN, block_id="b")), window(asks(WRITTEN, block_id="b" * 256)),
    window(asks(WRITTEN, label=plain("l" * 2001))), window(asks(WRITTEN, label={"type": "mrkdwn", "text": "l"})),
    window({"type": "input", "element": WRITTEN}), window({"type": "input", "label": plain("l")}),
    window(asks(WRITTEN, hint=plain("h" * 2001))), window(asks(WRITTEN, optional="yes")), window(asks(button())),
    window(asks({"type": "file_input", "action_id": "f"})), window(asks(WRITTEN | {"action_id": "a" * 256})),
    window(asks(WRITTEN | {"placeholder": plain("p" * 151)})), window(asks(WRITTEN | {"max_length": 0})),
    window(asks(WRITTEN | {"max_length": 3001})), window(asks(WRITTEN | {"max_length": "9"})),
    window(asks(WRITTEN | {"min_length": 9, "max_length": 8})), window(asks(WRITTEN | {"options": []})),
    window(asks(WRITTEN | {"initial_value": "x" * 9, "max_length": 8})), window(asks(CHOICE | {"options": []})),
    window(asks(CHOICE | {"options": [{"text": plain(str(n)), "value": str(n)} for n in range(11)]})),
    window(asks(CHOICE | {"options": CHOICE["options"] * 2})),
    window(asks(CHOICE | {"options": [{"text": plain("o" * 76), "value": "1"}]})),
    window(asks(CHOICE | {"options": [{"text": plain("o"), "value": "v" * 151}]})),
    window(asks(CHOICE | {"initial_option": {"text": plain("Two"), "value": "2"}})),
    window(asks(PEOPLE | {"initial_users": "U1"})),
    window(asks(PEOPLE | {"initial_users": ["U1", "U2"], "max_selected_items": 1})),
]


@pytest.mark.parametrize("view", WINDOWS)
def test_a_window_that_slack_would_not_open(slack: SlackServer, view: dict[str, Any]) -> None:
    slack.workspace.triggers.give("t")
    assert refused(slack, "views.open", {"trigger_id": "t", "view": view}) == "invalid_arguments"
    assert not slack.workspace.views


def test_a_window_may_not_be_large(slack: SlackServer) -> None:
    view = window(*[section("x" * 3000)] * 90)
    assert refused(slack, "views.open", {"trigger_id": "t", "view": view}) == "view_too_large"
    assert refused(slack, "views.publish", {"user_id": "U1", "view": window()}) == "invalid_arguments"


@pytest.mark.parametrize("view", [
    channel_view("C1", ChannelSettings(askers=("U1", "group:people"), sources=("docs",))), agreement_view("a", "Why?"),
    resolution_view("a"), resolution_view("a", keep=False), reason_view("c", "C1", "a"),
])  # fmt: skip
def test_every_window_of_the_bot_opens(slack: SlackServer, view: dict[str, Any]) -> None:
    client = WebClient(BOT_TOKEN, base_url=slack.url, retry_handlers=[])
    assert client.views_open(trigger_id=slack.workspace.triggers.give("own"), view=view)["ok"]
    slack.workspace.triggers._used.clear()


OTHERS: list[tuple[str, dict[str, Any], str]] = [
    ("chat.postMessage", ROOT | {"thread_ts": "", "text": "x"}, "invalid_thread_ts"),
    ("chat.postMessage", {"channel": "C1", "text": "x", "parse": "all"}, "invalid_arguments"),
    ("chat.postEphemeral", ROOT | {"user": "U1", "text": "x", "thread_ts": "1.1"}, "invalid_thread_ts"),
    ("chat.startStream", ROOT | {"thread_ts": "now"}, "invalid_thread_ts"),
    ("chat.startStream", ROOT, "missing_recipient_user_id"),
    ("chat.startStream", ROOT | {"recipient_user_id": "U9", "recipient_team_id": "T"}, "user_not_in_channel"),
    ("chat.delete", {"channel": "C9", "ts": "1.000001"}, "channel_not_found"),
    ("conversations.replies", {"channel": "C1", "ts": "soon"}, "thread_not_found"),
    ("conversations.history", {"channel": "C1", "oldest": "nan"}, "invalid_ts_oldest"),
    ("conversations.history", {"channel": "C1", "latest": "soon"}, "invalid_ts_latest"),
    ("conversations.history", {"channel": "C1", "limit": 0}, "invalid_limit"),
    ("conversations.members", {"channel": "C1", "limit": 1001}, "invalid_limit"),
    ("conversations.members", {"channel": "C1", "limit": "many"}, "invalid_arguments"),
    ("conversations.open", {"users": BOT_USER}, "cannot_dm_bot"),
    ("conversations.open", {"users": "U2"}, "user_disabled"),
    ("users.conversations", {"types": "public_channel,secret"}, "invalid_types"),
    ("users.list", {"cursor": "x"}, "invalid_cursor"), ("users.lookupByEmail", {"email": ""}, "users_not_found"),
    ("usergroups.users.list", {"usergroup": "S9"}, "no_such_subteam"),
    ("assistant.threads.setStatus", {"channel_id": "C1", "thread_ts": "1.000001", "status": "s",
                                     "loading_messages": [1]}, "invalid_arguments"),
    ("assistant.threads.setSuggestedPrompts", {"channel_id": "D1", "prompts": []}, "invalid_arguments"),
    ("assistant.threads.setSuggestedPrompts", {"channel_id": "D1", "prompts": [{"title": "t", "message": 7}]},
     "invalid_arguments"),
    ("assistant.threads.setSuggestedPrompts", {"channel_id": "C1", "prompts": [{"title": "t", "message": "m"}]},
     "channel_not_found"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "given", "said"), OTHERS)
def test_other_arguments_that_slack_would_not_take(
    slack: SlackServer, method: str, given: dict[str, Any], said: str
) -> None:
    assert refused(slack, method, given) == said and not slack.workspace.messages


def test_how_long_a_text_may_be(slack: SlackServer) -> None:
    """A post is cut, a change is refused."""
    ts = str(call(slack, "chat.postMessage", {"channel": "C1", "text": "x" * 40_001, "metadata": DATA})["ts"])
    [message] = slack.workspace.messages
    assert len(message.text) == 40_000
    assert refused(slack, "chat.update", {"channel": "C1", "ts": ts, "text": "x" * 4001}) == "msg_too_long"
    call(slack, "chat.update", {"channel": "C1", "ts": ts, "text": "y" * 4000})
    assert message.text == "y" * 4000 and message.metadata == DATA
    call(slack, "chat.update", {"channel": "C1", "ts": ts, "text": "z", "metadata": {}})
    assert message.metadata is None


def test_how_much_is_streamed_into_one_message(slack: SlackServer) -> None:
    where = {"channel": "C1", "ts": begun(slack)}
    assert refused(slack, "chat.appendStream", where | {"markdown_text": "x" * 12_001}) == "msg_too_long"
    call(slack, "chat.appendStream", where | {"markdown_text": "x" * 12_000})
    assert refused(slack, "chat.appendStream", where | {"markdown_text": "x" * 1000}) == "msg_too_long"
    assert refused(slack, "chat.stopStream", where | {"blocks": [section("x" * 1000)]}) == "msg_too_long"
    for chunk in ("x", {"type": "markdown_text", "text": ""}, {"type": "task_update", "id": "1", "title": "t"},
                  {"type": "task_update", "id": 1, "title": "t", "status": "complete"}, {"type": "plan_update"},
                  {"type": "task_update", "id": "1", "title": "t" * 257, "status": "complete"}):
        assert refused(slack, "chat.appendStream", where | {"chunks": [chunk]}) == "invalid_chunks", chunk
    call(slack, "chat.stopStream", where | {"blocks": [section("x" * 999)], "metadata": DATA})
    [message] = slack.workspace.messages
    assert message.metadata == DATA and message.stream is not None and not message.stream.open


@pytest.mark.parametrize("method", sorted(METHODS))
def test_each_method_wants_its_scope_what_it_needs_and_nothing_unknown(slack: SlackServer, method: str) -> None:
    needs = METHODS[method]
    given = {name: _some(name) for name in needs.required}
    assert refused(slack, method, given | {"colour": "red"}) == "invalid_arguments"
    for name in needs.required:
        assert refused(slack, method, {other: given[other] for other in given if other != name}) == "invalid_arguments"
    if needs.scopes:
        scopes, slack.api.scopes = slack.api.scopes, slack.api.scopes - set(needs.scopes)
        try:
            assert refused(slack, method, given) == "missing_scope"
        finally:
            slack.api.scopes = scopes


def _some(name: str) -> Any:
    return {"view": window(), "prompts": [{"title": "t", "message": "m"}], "thread_ts": "1.000001"}.get(name, "C1")


@pytest.mark.parametrize(("method", "right"), [
    ("conversations.info", "groups:read"), ("conversations.members", "groups:read"),
    ("conversations.history", "groups:history"), ("conversations.replies", "groups:history"),
    ("users.conversations", "groups:read"), ("conversations.open", "im:write"),
])  # fmt: skip
def test_each_kind_of_conversation_has_a_scope_of_its_own(slack: SlackServer, method: str, right: str) -> None:
    ts = call(slack, "chat.postMessage", {"channel": "C1", "text": "x"})["ts"]
    given = {"conversations.open": {"users": "U1"}, "users.conversations": {"types": "private_channel"},
             "conversations.replies": {"channel": "C1", "ts": ts}}.get(method, {"channel": "C1"})
    assert call(slack, method, given)["ok"]
    scopes, slack.api.scopes = slack.api.scopes, slack.api.scopes - {right}
    try:
        assert refused(slack, method, given) == "missing_scope"
    finally:
        slack.api.scopes = scopes


def test_conversations_are_listed_by_their_types(slack: SlackServer) -> None:
    slack.workspace.channel("C2", "two", ["U1"])
    slack.workspace.channel("C3", "old", ["U1"], archived=True)

    def listed(**given: Any) -> list[str]:
        return [one["id"] for one in call(slack, "users.conversations", given)["channels"]]

    assert listed() == ["C2", "C3"] and listed(exclude_archived=True) == ["C2"]
    assert listed(types="private_channel,im") == ["C1", "D1"]


@pytest.mark.parametrize("told", [
    {"response_action": "errors", "errors": {"x": "no such block"}}, {"response_action": "errors", "errors": {}},
    {"response_action": "update", "view": window(title=plain("t" * 25))}, {"response_action": "explode"},
])  # fmt: skip
def test_what_a_window_is_told_is_looked_at(slack: SlackServer, told: dict[str, Any]) -> None:
    view = window(asks(WRITTEN, block_id="b"), section("x") | {"block_id": "s"})
    with pytest.raises(Refused):
        slack.deliveries._take("U1", view, told)
    assert not slack.workspace.views
    slack.deliveries._take("U1", view, {"response_action": "errors", "errors": {"b": "wrong"}})
