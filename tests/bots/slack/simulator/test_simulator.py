"""The Slack on the loopback refuses what Slack refuses, and lets an app call no more often than Slack does."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, Company, at, company
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bots.slack.api import SlackApi
from bots.slack.hearing.voting import reason_view
from bots.slack.personal.views import home_view
from bots.slack.simulator import SlackServer
from bots.slack.simulator.limits import Limits
from bots.slack.simulator.server import BOT_TOKEN
from bots.slack.simulator.workspace import Message
from vouch.adapters.ledger import Ledger
from vouch.errors import SurfaceDown

pytestmark = pytest.mark.integration


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as started:
        ana = started.workspace.user("U1", "Ana", "ana@acme.test").id
        gone = started.workspace.user("U2", "Gone", deleted=True).id
        started.workspace.channel("C1", "one", [ana, gone], "private")
        yield started


def client(slack: SlackServer) -> WebClient:
    return WebClient(BOT_TOKEN, base_url=slack.url, retry_handlers=[])


def refused(slack: SlackServer, method: str, **given: Any) -> str:
    with pytest.raises(SlackApiError) as error:
        client(slack).api_call(method, json=given)
    return str(error.value.response["error"])


def test_what_one_person_is_shown_in_a_thread_without_replies_is_seen_by_nobody(slack: SlackServer) -> None:
    root = slack.workspace.put(Message(slack.workspace.moment(), "C1", "U1", "root")).ts
    alone = {"channel": "C1", "user": "U1", "thread_ts": root}
    client(slack).api_call("chat.postEphemeral", json=alone | {"text": "hidden"})
    client(slack).api_call("chat.postMessage", json=MESSAGE | {"thread_ts": root})
    client(slack).api_call("chat.postEphemeral", json=alone | {"text": "shown"})
    assert [one.text for one in slack.workspace.seen_by("U1", "C1")] == ["root", "x", "shown"]


MESSAGE = {"channel": "C1", "text": "x"}
WINDOW = reason_view("c", "C1", "a1")


@pytest.mark.parametrize(("method", "given", "said"), [
    ("chat.postMessage", MESSAGE | {"thread_ts": "yesterday"}, "invalid_thread_ts"),
    ("chat.postMessage", MESSAGE | {"metadata": {"event_type": "", "event_payload": {}}}, "invalid_metadata_format"),
    ("chat.postMessage", MESSAGE | {"metadata": {"event_type": "e", "event_payload": []}}, "invalid_metadata_format"),
    ("chat.postMessage", MESSAGE | {"metadata": {"event_type": "e", "event_payload": {"x": "y" * 16_000}}},
     "metadata_too_large"),
    ("chat.postMessage", MESSAGE | {"colour": "red"}, "invalid_arguments"),
    ("chat.postMessage", {"channel": "C1"}, "no_text"),
    ("chat.postMessage", {"channel": "C9", "text": "x"}, "channel_not_found"),
    ("chat.postEphemeral", MESSAGE | {"user": "U2"}, "user_not_in_channel"),
    ("chat.postEphemeral", MESSAGE | {"user": "U0VOUCH"}, "user_not_in_channel"),
    ("views.open", {"view": WINDOW, "trigger_id": "made up"}, "invalid_trigger_id"),
    ("views.open", {"view": WINDOW | {"title": {"type": "plain_text", "text": "t" * 25}}, "trigger_id": "t"},
     "invalid_arguments"),
    ("views.open", {"view": {k: v for k, v in WINDOW.items() if k != "submit"}, "trigger_id": "t"},
     "invalid_arguments"),
    ("views.publish", {"view": home_view({}, []), "user_id": "U9"}, "user_not_found"),
    ("views.publish", {"view": home_view({}, []) | {"title": {"type": "plain_text", "text": "t"}}, "user_id": "U1"},
     "invalid_arguments"),
    ("assistant.threads.setStatus", {"channel_id": "C1", "thread_ts": "now", "status": "s"}, "invalid_arguments"),
    ("assistant.threads.setStatus", {"channel_id": "C1", "thread_ts": "1.000001", "status": "s",
                                     "loading_messages": ["m"] * 11}, "invalid_arguments"),
    ("no.method", {}, "unknown_method"),
])  # fmt: skip
def test_what_slack_would_not_take_is_refused(
    slack: SlackServer, method: str, given: dict[str, Any], said: str
) -> None:
    assert refused(slack, method, **given) == said


@pytest.mark.parametrize("cursor", ["soon", "-1", "99", "١"])
def test_a_cursor_that_slack_has_not_given_is_refused(slack: SlackServer, cursor: str) -> None:
    with pytest.raises(SlackApiError, match="invalid_cursor"):
        client(slack).conversations_members(channel="C1", cursor=cursor)


def test_a_window_opens_once_and_soon(slack: SlackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    triggers = slack.workspace.triggers
    client(slack).views_open(trigger_id=triggers.give("t1"), view=WINDOW)
    assert refused(slack, "views.open", trigger_id="t1", view=WINDOW) == "exchanged_trigger_id"
    triggers.give("t2")
    late = time.monotonic() + 4
    monkeypatch.setattr("bots.slack.simulator.triggers.time.monotonic", lambda: late)
    assert refused(slack, "views.open", trigger_id="t2", view=WINDOW) == "expired_trigger_id"


def test_each_method_has_a_pace_and_each_channel_one_message_a_second() -> None:
    now = [0.0]
    limits = Limits(lambda: now[0])
    assert limits.wait("users.info", {}) == 0 and not limits.on
    limits.on = True
    assert [limits.wait("users.info", {}) for _ in range(101)] == [0] * 100 + [1]
    assert [limits.wait("conversations.info", {}) for _ in range(51)] == [0] * 50 + [2]
    posts = [limits.wait("chat.postMessage", {"channel": "C1"}) for _ in range(4)]
    assert posts == [0, 0, 0, 1] and limits.wait("chat.postMessage", {"channel": "C2"}) == 0
    now[0] = 1.0
    assert [limits.wait("chat.postMessage", {"channel": "C1"}) for _ in range(2)] == [0, 1]
    assert limits.refused == {"users.info": 1, "conversations.info": 1, "chat.postMessage": 2}


def test_who_calls_too_often_is_told_how_long_to_wait(slack: SlackServer) -> None:
    slack.limits.on = True
    with pytest.raises(SlackApiError) as error:
        for _ in range(10):
            client(slack).chat_postMessage(**MESSAGE)
    assert error.value.response.status_code == 429 and error.value.response.headers["Retry-After"] == "1"
    assert len(slack.workspace.messages) == 3


def test_slack_is_left_alone_by_method_and_channel_for_as_long_as_it_said(slack: SlackServer) -> None:
    now = [0.0]
    api = SlackApi(BOT_TOKEN, slack.url, 20.0, lambda: now[0])
    slack.workspace.channel("C2", "two", ["U1"])
    slack.fault("chat.postMessage", "429", 7)
    slack.fault("conversations.info", "429", 3)

    def waits(method: str, channel: str, **more: str) -> float | None:
        try:
            api.call(method, channel=channel, **more)
        except SurfaceDown as error:
            return error.retry_after_s
        return None

    assert waits("chat.postMessage", "C1", text="x") == 7 and waits("conversations.info", "C1") == 3
    now[0] = 2.0
    assert waits("chat.postMessage", "C1", text="x") == 5 and waits("chat.postMessage", "C2", text="x") is None
    assert waits("conversations.info", "C2") == 1 and waits("conversations.members", "C1") is None
    assert [m.channel for m in slack.workspace.messages] == ["C2"]
    now[0] = 7.0
    assert waits("chat.postMessage", "C1", text="x") is None and waits("conversations.info", "C1") is None
    assert [name for name, _ in slack.api.calls].count("chat.postMessage") == 2     # none while it was to be left alone


@pytest.fixture
def acme(request: pytest.FixtureRequest, ledger: Ledger, memory_folder: Path) -> Iterator[Company]:
    with company(ledger, memory_folder, getattr(request, "param", "http")) as made:
        yield made


@pytest.mark.slow
def test_at_the_limits_of_slack_answers_come_later_and_each_once(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.slack.limits = Limits(lambda: time.monotonic() / 4)       # a slow machine, too, is faster than these
    acme.slack.limits.on = True
    asked = [acme.slack.deliveries.say(acme.ben.id, people, at(LEAVE)) for _ in range(6)]
    acme.answer_all(4000)
    assert sorted(m.thread_ts or "" for m in acme.answers(acme.ben, people)) == [one.ts for one in asked]
    assert acme.slack.limits.refused.get("chat.postMessage", 0) >= 1


@pytest.mark.parametrize(("acme", "seed"), [("http", 0), ("http", 1), ("socket", 2)], indirect=["acme"])
def test_events_in_any_order_and_several_times_are_one_question_each(acme: Company, seed: int) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    with acme.slack.deliveries.muddled(random.Random(seed)):
        asked = [acme.slack.deliveries.say(acme.ben.id, people, at(LEAVE)) for _ in range(5)]
    acme.answer_all()
    assert sorted(m.thread_ts or "" for m in acme.answers(acme.ben, people)) == [one.ts for one in asked]
    assert len(acme.slack.deliveries.log) >= 10


def test_who_joins_or_leaves_counts_from_then_on(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.slack.deliveries.join(acme.ana.id, people)
    acme.slack.deliveries.join(acme.ana.id, people)
    assert people.members.count(acme.ana.id) == 1
    acme.slack.deliveries.leave(acme.ana.id, people)
    acme.slack.deliveries.leave(acme.ana.id, people)
    assert acme.ana.id not in people.members
