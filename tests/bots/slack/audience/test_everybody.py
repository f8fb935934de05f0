"""Many read along: the whole workspace is asked for, in calls that Slack allows, and judged no milder than one by one.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bots.slack.api import SlackApi
from bots.slack.identity import everybody
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.identity.people import People
from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import BOT_TOKEN
from bots.slack.simulator.workspace import TEAM

PUBLIC = ("public",)


class Many:
    """A channel of so many people, on a clock that the test moves."""

    def __init__(self, slack: SlackServer, members: int) -> None:
        self.slack, self.now, self.stamp = slack, 0.0, dict[str, str]()
        slack.limits._clock = self.clock
        self.people = [slack.workspace.user(f"U{n}", f"p{n}", f"p{n}@acme.test") for n in range(members)]
        self.channel = slack.workspace.channel("C1", "many", [one.id for one in self.people], "private")
        self.api = SlackApi(BOT_TOKEN, slack.url, 20.0, self.clock)
        self.made = SlackConversations(
            self.api, People(self.api, {}, 60.0, self.clock, self), most=1000, open_channels_are_public=False,
            seconds=5.0, changes=self, monotonic=self.clock)

    def clock(self) -> float:
        return self.now

    def stamps(self, subjects: Iterable[str]) -> dict[str, str]:
        return {one: self.stamp[one] for one in subjects if one in self.stamp}

    def readers(self, channel: str = "C1") -> tuple[str, ...]:
        return self.made.readers(f"{TEAM}/{channel}", anew=True)

    def called(self, method: str) -> int:
        return sum(name == method for name, _ in self.slack.api.calls)

    def meanwhile(self, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
        """Once, when Slack has said who there is and nobody has read it yet."""
        call, done = self.api.call, list[bool]()

        def told(method: str, **arguments: Any) -> Any:
            answer = call(method, **arguments)
            if method == "users.list" and not done:
                done.append(True)
                happens()
            return answer

        monkeypatch.setattr(self.api, "call", told)


@pytest.fixture
def many() -> Iterator[Many]:
    with SlackServer() as slack:
        yield Many(slack, 9)


@pytest.mark.integration
def test_the_loopback_lists_people_in_pages_as_slack_does_and_is_as_strict(many: Many) -> None:
    client = WebClient(BOT_TOKEN, base_url=f"{many.slack.url}/")
    pages = [[one["id"] for one in page["members"]] for page in client.users_list(limit=4)]
    assert [len(page) for page in pages] == [4, 4, len(many.slack.workspace.users) - 8]
    assert {one.id for one in many.people} <= {one for page in pages for one in page}
    for given in ({"limit": 1001}, {"cursor": "none"}, {"user": "U1"}):
        with pytest.raises(SlackApiError):
            client.api_call("users.list", params=given)
    many.slack.api.scopes = frozenset({"users:read"})
    assert "email" not in client.users_list()["members"][0]["profile"]
    many.slack.api.scopes = frozenset()
    with pytest.raises(SlackApiError, match="missing_scope"):
        client.users_list()


@pytest.mark.integration
def test_two_hundred_members_are_looked_up_at_each_answer_within_the_limits_of_slack() -> None:
    with SlackServer() as slack:
        acme = Many(slack, 200)
        slack.limits.on = True
        for _ in range(40):             # twenty answers in 100 s: Slack is asked who is there twice for each
            assert len(acme.readers()) == 200
            acme.now += 2.5
        assert not slack.limits.refused and acme.called("users.info") == 0 and acme.called("users.list") == 20


@pytest.mark.integration
def test_one_look_counts_for_other_channels_too(many: Many) -> None:
    many.slack.workspace.channel("C2", "all", [one.id for one in many.people], "private")
    assert many.readers() == many.readers("C2") and many.called("users.list") == 1


@pytest.mark.integration
def test_of_whom_the_list_says_too_little_is_asked_for_alone(many: Many, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everybody, "_JUDGED", (*everybody._JUDGED, "is_admin_of_it_all"))
    assert many.readers() != PUBLIC and many.called("users.info") == 9
    many.now, many.people[3].guest = 5.0, True
    assert many.readers() == PUBLIC


@pytest.mark.integration
@pytest.mark.parametrize("doubt", [{"guest": True}, {"team": "T9"}, {"is_bot": True}, {"confirmed": False},
                                   {"email": ""}], ids=str)
def test_who_is_not_sure_makes_it_public(many: Many, doubt: dict[str, Any]) -> None:
    for name, value in doubt.items():
        setattr(many.people[-1], name, value)
    assert many.readers() == PUBLIC


@pytest.mark.integration
def test_who_has_left_the_organisation_reads_nothing(many: Many) -> None:
    many.people[-1].deleted = True
    assert many.readers() == tuple(f"user:p{n}@acme.test" for n in range(8))


@pytest.mark.integration
@pytest.mark.parametrize("looked_at", ["C1", "C2"], ids=["there", "elsewhere"])
def test_a_change_that_is_told_while_slack_lists_people_counts(
    many: Many, monkeypatch: pytest.MonkeyPatch, looked_at: str
) -> None:
    def becomes_a_guest() -> None:
        many.people[8].guest = True
        many.stamp["U8"] = "changed"

    others = [many.slack.workspace.user(f"U1{n}", f"q{n}", f"q{n}@acme.test").id for n in range(9)]
    many.slack.workspace.channel("C2", "others", others, "private")
    assert PUBLIC not in (many.readers("C1"), many.readers("C2"))
    many.now = 5.0
    many.meanwhile(monkeypatch, becomes_a_guest)
    assert (many.readers(looked_at) == PUBLIC) is (looked_at == "C1")
    assert many.readers("C1") == PUBLIC


@pytest.mark.integration
def test_a_workspace_of_too_many_is_counted_once_an_hour(many: Many, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everybody, "_IN_A_CALL", 4)
    monkeypatch.setattr(everybody, "_MOST_CALLS", 2)
    for many.now, listed, alone in ((0.0, 2, 9), (59.0, 2, 9), (60.0, 2, 18), (3599.0, 2, 27), (3660.0, 4, 36)):
        assert len(many.readers()) == 9
        assert (many.called("users.list"), many.called("users.info")) == (listed, alone)


def test_accounts_that_slack_does_not_list_are_asked_for_one_by_one(
    many: Many, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, before = many.slack.api.call, many.called("users.info")
    with monkeypatch.context() as away:
        away.setattr(many.slack.api, "call", lambda name, *given, **more: (
            {"ok": False, "error": "something_new"} if name == "users.list" else real(name, *given, **more)))
        assert len(many.readers()) == len(many.people)
        asked = many.called("users.info") - before
    assert asked == len(many.people)
    many.now += 120.0
    assert len(many.readers()) == len(many.people) and many.called("users.info") == before + asked
