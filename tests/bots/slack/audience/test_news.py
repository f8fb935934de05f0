"""Slack tells of joins, leaves, and changed accounts: they count at once, and without the event from a look or an age
on. On what people see in the loopback Slack."""

import time
from collections.abc import Iterator

import pytest
from slack_scene.slack_company import PLAN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.api import SlackApi
from bots.slack.hearing.events import NEWS, changed
from bots.slack.identity import everybody
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.identity.everybody import FEW
from bots.slack.identity.members_cache import KeptMembers
from bots.slack.identity.people import People
from bots.slack.simulator import Channel, SlackServer
from bots.slack.simulator.server import BOT_TOKEN
from bots.slack.simulator.workspace import TEAM
from vouch.access import Directory, Person
from vouch.adapters.ledger import Ledger
from vouch.errors import Denied, SurfaceDown
from vouch.ports.surface import ChannelSettings

SAYS = "60 days"


@pytest.fixture
def acme(place: Place) -> Iterator[Company]:
    """Where what Slack says of people counts for a minute."""
    with company(*place, people_seconds=60.0, members_seconds=60.0) as made:
        yield made


def people(acme: Company, *members: str) -> Channel:
    return acme.slack.workspace.channel("C1", "people", list(members), "private")


@pytest.mark.integration
@EVERYWHERE
def test_who_joins_or_leaves_before_the_answer_counts(acme: Company) -> None:
    channel, tell = people(acme, acme.ben.id), acme.slack.deliveries
    acme.ask(acme.ben, channel, at(PLAN))
    tell.say(acme.ben.id, channel, at(PLAN))
    tell.join(acme.ana.id, channel)
    acme.answer_all()
    tell.say(acme.ben.id, channel, at(PLAN))
    tell.leave(acme.ana.id, channel)
    acme.answer_all()
    assert [SAYS in m.shown() for m in acme.answers(acme.ben, channel) if m.metadata] == [True, False, True]


@pytest.mark.integration
@EVERYWHERE
def test_who_becomes_a_guest_counts_as_one_at_once(acme: Company) -> None:
    channel, tell = people(acme, acme.ben.id, acme.boss.id), acme.slack.deliveries
    acme.ask(acme.ben, channel, at(PLAN))
    tell.account(acme.boss.id, guest=True)
    acme.ask(acme.ben, channel, at(PLAN))
    tell.account(acme.boss.id, guest=False)
    acme.ask(acme.ben, channel, at(PLAN))
    assert [SAYS in m.shown() for m in acme.answers(acme.boss, channel) if m.metadata] == [True, False, True]


@pytest.mark.integration
def test_a_channel_that_is_shared_is_public_from_then_on(acme: Company) -> None:
    channel = people(acme, acme.ben.id)
    acme.ask(acme.ben, channel, at(PLAN))
    acme.slack.deliveries.share(channel)
    acme.ask(acme.ben, channel, at(PLAN))
    assert [SAYS in m.shown() for m in acme.answers(acme.ben, channel) if m.metadata] == [True, False]


@pytest.mark.integration
def test_who_is_taken_out_of_a_user_group_may_not_ask_any_more(acme: Company) -> None:
    channel, group = people(acme, acme.ben.id), acme.slack.workspace.group("S1", "people", [acme.ben.id])
    acme.ledger.slack_channels.set("C1", ChannelSettings(askers=("S1",)), "terminal")
    acme.ask(acme.ben, channel, at(PLAN))
    acme.slack.deliveries.regroup(group, [])
    acme.ask(acme.ben, channel, at(PLAN))
    assert sum(SAYS in m.shown() for m in acme.answers(acme.ben, channel)) == 1


@pytest.mark.integration
@pytest.mark.parametrize("place", ["socket"], indirect=True)
def test_an_event_that_never_comes_shows_nobody_more(acme: Company) -> None:
    """Whoever reads along is asked for when an answer is begun and right before its post."""
    channel = people(acme, acme.ben.id)
    acme.ask(acme.ben, channel, at(PLAN))
    acme.slack.deliveries.say(acme.ben.id, channel, at(PLAN))
    channel.members.append(acme.ana.id)
    acme.answer_all()
    channel.members.remove(acme.ana.id)
    acme.ask(acme.ben, channel, at(PLAN))
    assert [SAYS in m.shown() for m in acme.answers(acme.ben, channel) if m.metadata] == [True, False, True]


@pytest.mark.integration
def test_a_guest_among_many_is_noticed_without_the_event(acme: Company) -> None:
    many = [acme.slack.workspace.user(f"U0{n}", f"p{n}", f"p{n}@acme.test").id for n in range(12)]
    acme.access.directory = Directory({f"p{n}@acme.test": Person(("people",)) for n in range(12)})
    channel, asker = people(acme, *many), acme.slack.workspace.users[many[0]]
    acme.ask(asker, channel, at(PLAN))
    acme.slack.workspace.users[many[-1]].guest = True
    acme.parts.people._clock = lambda: time.monotonic() + 5
    acme.ask(asker, channel, at(PLAN))
    assert [SAYS in m.shown() for m in acme.answers(asker, channel) if m.metadata] == [True, False]


@pytest.mark.integration
def test_a_bot_that_cannot_note_it_is_told_again(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    real, failed = type(acme.ledger.slack_changes).note, list[str]()

    def once_away(self: object, subject: str, at: object) -> None:
        if not failed:
            failed.append(subject)
            raise Denied("the ledger is away")
        real(self, subject, at)  # type: ignore[arg-type]

    monkeypatch.setattr(type(acme.ledger.slack_changes), "note", once_away)
    acme.slack.deliveries.join(acme.ana.id, people(acme, acme.ben.id))
    told = acme.slack.deliveries.log[-1]
    assert failed == ["C1"] and told.acked and told.tries == 2
    assert acme.ledger.slack_changes.stamps(["C1", "C2"]).keys() == {"C1"}


class Stamps:
    def __init__(self) -> None:
        self.now = dict[str, str]()

    def stamps(self, subjects: object) -> dict[str, str]:
        return dict(self.now)


def test_what_is_kept_of_members_ends_with_its_age_or_a_change() -> None:
    asked, changes, clock, told = list[str](), Stamps(), [0.0], [("U1",)]

    def ask(channel: str) -> tuple[str, ...]:
        asked.append(channel)
        return told[-1]

    kept = KeptMembers(ask, changes, 5.0, lambda: clock[0])
    assert kept.of("C1", anew=False) == kept.of("C1", anew=False) == ("U1",) and len(asked) == 1
    told.append(("U1", "U2"))
    changes.now = {"C2": "other"}
    assert kept.of("C1", anew=False) == ("U1",)
    changes.now = {"C1": "changed"}
    assert kept.of("C1", anew=False) == ("U1", "U2") and len(asked) == 2
    told.append(("U3",))
    assert kept.of("C1", anew=True) == kept.of("C1", anew=False) == ("U3",) and len(asked) == 3
    told.append(("U4",))
    clock[0] = 4.9
    assert kept.of("C1", anew=False) == ("U3",)
    clock[0] = 5.0
    assert kept.of("C1", anew=False) == ("U4",) and len(asked) == 4


def test_a_change_while_slack_is_asked_makes_it_asked_again() -> None:
    changes, told = Stamps(), [("U1",), ("U1", "U2")]

    def ask(_: str) -> tuple[str, ...]:
        changes.now["C1"] = str(len(told))
        return told.pop(0)

    kept = KeptMembers(ask, changes, 5.0, lambda: 0.0)
    assert kept.of("C1", anew=False) == ("U1",) and kept.of("C1", anew=False) == ("U1", "U2")


def test_a_channel_that_is_gone_is_not_kept() -> None:
    gone = [False]

    def ask(_: str) -> tuple[str, ...]:
        if gone[0]:
            raise Denied("channel_not_found")
        return ("U1",)

    kept = KeptMembers(ask, Stamps(), 5.0, lambda: 0.0)
    kept.of("C1", anew=False)
    gone[0] = True
    for anew in (True, False):
        with pytest.raises(Denied):
            kept.of("C1", anew=anew)


@pytest.mark.integration
def test_an_account_is_asked_for_again_after_its_age_and_after_a_change(ledger: Ledger) -> None:
    with SlackServer() as slack:
        ana, clock, changes = slack.workspace.user("U1", "ana", "ana@acme.test"), [0.0], Stamps()
        slack.workspace.channel("C1", "one", ["U1"], "private")
        api = SlackApi(BOT_TOKEN, slack.url, 20.0)
        made = SlackConversations(api, People(api, {}, 60.0, lambda: clock[0], changes), most=9,
                                  open_channels_are_public=False)
        assert made.readers(f"{TEAM}/C1") == ("user:ana@acme.test",)
        ana.guest = True
        assert made.readers(f"{TEAM}/C1") == ("user:ana@acme.test",)
        changes.now["U1"] = "changed"
        assert made.readers(f"{TEAM}/C1") == ("public",)
        ana.guest = False
        clock[0] = 60.0
        assert made.readers(f"{TEAM}/C1") == ("user:ana@acme.test",)


@pytest.mark.integration
@pytest.mark.parametrize(("members", "most_calls", "seen_after"), [
    (1, 10, 5.0), (7, 10, 5.0), (9, 10, 5.0), (10, 10, 10.0), (25, 10, 15.0), (25, 2, 60.0),
])
def test_who_became_a_guest_is_noticed_right_before_a_post(
    monkeypatch: pytest.MonkeyPatch, members: int, most_calls: int, seen_after: float
) -> None:
    """Without the event. Of more than seven all accounts are asked for, here ten in a call, if that is possible."""
    monkeypatch.setattr(everybody, "_IN_A_CALL", 10)
    monkeypatch.setattr(everybody, "_MOST_CALLS", most_calls)
    with SlackServer() as slack:
        those = [slack.workspace.user(f"U{n}", f"p{n}", f"p{n}@acme.test") for n in range(members)]
        slack.workspace.channel("C1", "some", [one.id for one in those], "private")
        api, clock = SlackApi(BOT_TOKEN, slack.url, 20.0), [0.0]
        made = SlackConversations(api, People(api, {}, 60.0, lambda: clock[0]), most=30, open_channels_are_public=False)
        assert len(made.readers(f"{TEAM}/C1", anew=True)) == members
        those[-1].guest = True
        clock[0] = seen_after - 0.1
        assert len(made.readers(f"{TEAM}/C1", anew=True)) == members and "public" not in made.readers(f"{TEAM}/C1")
        clock[0] = seen_after
        assert made.readers(f"{TEAM}/C1", anew=True) == ("public",)
        listed = members > FEW and most_calls == 10
        slack.fault("users.list" if listed else "users.info", "500")
        clock[0] = 2 * seen_after
        with pytest.raises(SurfaceDown):
            made.readers(f"{TEAM}/C1", anew=True)


@pytest.mark.parametrize(("event", "subject"), [
    ({"type": "member_left_channel", "channel": "C1", "user": "U1"}, "C1"),
    ({"type": "user_change", "user": {"id": "U1"}}, "U1"), ({"type": "user_change", "user": "U1"}, ""),
    ({"type": "subteam_updated", "subteam": {"id": "S1"}}, "S1"), ({"type": "member_joined_channel"}, ""),
    ({"type": "message", "channel": "C1"}, ""), ({"type": "channel_shared", "channel": "C" * 61}, ""),
])
def test_each_event_names_what_has_changed(event: dict[str, object], subject: str) -> None:
    assert changed(event) == subject
    assert len(NEWS) == len(set(NEWS)) == 7
