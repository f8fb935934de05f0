"""What the Slack surface decides, without a socket: what counts as public, as posted, as a vote, and as too late."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from bots.slack.answers.surface import SlackSurface
from bots.slack.hearing.voting import Voting
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.identity.people import People
from bots.slack.place import EVENT
from vouch.errors import Busy, Denied
from vouch.ports.surface import Delivery

ANSWER = {"id": "a", "question": "q", "answer": "x", "citations": [], "warnings": [], "action": "replied",
          "index_version": 0}


class Api:
    def __init__(self, **told: Any) -> None:
        self.me = {"user_id": "U0", "team_id": "T1"}
        self.told, self.calls = told, list[str]()

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        self.calls.append(method)
        return self.told

    def pages(self, method: str, rows: str, **given: Any) -> Iterator[Any]:
        yield from self.told[rows]


def surface(api: Any) -> SlackSurface:
    return SlackSurface(api, lambda: 1.0)


@pytest.mark.parametrize("shared", ["is_ext_shared", "is_pending_ext_shared", "is_org_shared"])
def test_a_channel_shared_in_any_way_is_public(shared: str) -> None:
    api: Any = Api(channel={shared: True, "is_private": True}, members=["U1"])
    people: Any = SimpleNamespace(tags=lambda users, _within: [(user, "user:ana") for user in users])
    made = SlackConversations(api, people, most=9, open_channels_are_public=False)
    assert made.readers("T1/C1") == ("public",)
    api.told["channel"] = {"is_private": True}
    assert made.readers("T1/C1") == ("user:ana",)


@pytest.mark.parametrize(("thread", "until", "refusal"), [("T9/C1", None, Denied), ("T1/C1", 0.5, Busy)])
def test_nothing_is_posted_elsewhere_or_too_late(thread: str, until: float | None, refusal: type[Exception]) -> None:
    api = Api()
    with pytest.raises(refusal):
        surface(api).post(Delivery("q", thread, ANSWER, until=until))
    assert api.calls == []
    surface(api).post(Delivery("q", "T1/C1", ANSWER, until=1.0))
    assert api.calls == ["chat.postMessage"]


def test_only_what_vouch_itself_posted_counts_as_posted() -> None:
    row = {"user": "U7", "metadata": {"event_type": EVENT, "event_payload": {"question_id": "q"}}}
    has = surface(Api(messages=[row])).has
    assert not has(Delivery("q", "T1/C1", {}))
    row["user"] = "U0"
    assert has(Delivery("q", "T1/C1", {}))


def test_a_thumb_on_what_another_wrote_is_no_vote() -> None:
    sent: list[Any] = []
    api: Any = Api(messages=[])
    people: Any = SimpleNamespace(voter=str, is_app=bool)
    Voting(api, people, people, sent.append, lambda: datetime.now(UTC)).reacted({
        "reaction": "+1", "item": {"type": "message", "channel": "C1", "ts": "1.5"}, "item_user": "U7", "user": "U2",
        "event_ts": "2.5"})
    assert sent == [] and api.calls == []


def test_what_slack_says_of_an_account_ends() -> None:
    clock, told = [0.0], {
        "id": "U1", "team_id": "T1", "is_restricted": False, "is_ultra_restricted": False, "is_bot": False,
        "is_email_confirmed": True, "profile": {"email": "ana@acme.test"},
    }
    api: Any = Api(user=told)
    people = People(api, {}, 60.0, lambda: clock[0])
    assert people.tag("U1") == "user:ana@acme.test"
    told["is_restricted"] = True            # made a guest
    clock[0] = 59.9
    assert people.tag("U1") == "user:ana@acme.test"
    clock[0] = 60.0
    assert people.tag("U1") == "public"
