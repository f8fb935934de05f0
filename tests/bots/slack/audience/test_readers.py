"""Who reads along in a conversation: whatever is not sure is public."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

from bots.slack.api import SlackApi
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.identity.people import People, tag_of
from bots.slack.place import Place, read_place
from bots.slack.questions import said_by_person
from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import BOT_TOKEN
from bots.slack.simulator.workspace import TEAM, User
from vouch.errors import BadInput, SurfaceDown, Usage

PUBLIC = ("public",)


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as started:
        yield started


def readers(slack: SlackServer, channel: str, team: str = TEAM, **changes: Any) -> tuple[str, ...]:
    chosen: dict[str, Any] = {"most": 200, "open_channels_are_public": False, "mapped": {}} | changes
    api = SlackApi(BOT_TOKEN, slack.url, 20.0)
    people = People(api, chosen.pop("mapped"), 0.0)
    return SlackConversations(api, people, **chosen).readers(f"{team}/{channel}")


def person(slack: SlackServer, name: str, **changes: Any) -> str:
    return slack.workspace.user(f"U{name.upper()}", name, f"{name}@acme.test", **changes).id


@pytest.mark.integration
def test_members_are_told_by_their_verified_addresses(slack: SlackServer) -> None:
    ana, ben = person(slack, "ana"), person(slack, "ben")
    for kind in ("channel", "private", "mpim"):
        slack.workspace.channel("C1", "both", [ana, ben], kind)
        assert readers(slack, "C1") == ("user:ana@acme.test", "user:ben@acme.test")
    assert readers(slack, slack.workspace.direct(ana).id) == ("user:ana@acme.test",)


DOUBTS: dict[str, dict[str, Any]] = {
    "a guest": {"guest": True}, "of another organisation": {"team": "T9"}, "another app": {"is_bot": True},
    "an unverified address": {"confirmed": False},
}  # fmt: skip


@pytest.mark.integration
@pytest.mark.parametrize("doubt", DOUBTS)
def test_one_member_who_is_not_sure_makes_it_public(slack: SlackServer, doubt: str) -> None:
    ana, odd = person(slack, "ana"), person(slack, "odd", **DOUBTS[doubt])
    slack.workspace.channel("C1", "both", [ana, odd], "private")
    assert readers(slack, "C1") == PUBLIC


@pytest.mark.integration
def test_a_channel_that_is_shared_too_large_unknown_or_of_others_is_public(slack: SlackServer) -> None:
    ana, ben = person(slack, "ana"), person(slack, "ben")
    slack.workspace.channel("C1", "shared", [ana], "private", shared=True)
    slack.workspace.channel("C2", "large", [ana, ben], "private")
    slack.workspace.channel("C3", "open", [ana])
    slack.workspace.channel("C4", "left", [ana], "private").members[:] = [ana]
    slack.workspace.channel("C5", "nobody", [], "private")
    assert readers(slack, "C1") == PUBLIC
    assert readers(slack, "C2", most=1) == PUBLIC and readers(slack, "C2", most=2) != PUBLIC
    assert readers(slack, "C3", open_channels_are_public=True) == PUBLIC and readers(slack, "C3") != PUBLIC
    assert readers(slack, "C4") == readers(slack, "C5") == readers(slack, "C9") == PUBLIC
    assert readers(slack, "C2", team="T9") == PUBLIC
    assert readers(slack, "C2/1.5/x") == PUBLIC


class SlowPeople(People):
    """The first `slow` accounts take six seconds each to look up, and `meanwhile` happens."""

    def __init__(self, api: SlackApi, slow: int, meanwhile: Callable[[], object]) -> None:
        super().__init__(api, {}, 0.0)
        self.now, self.slow, self.meanwhile = 0.0, slow, meanwhile

    def tags(self, users: Sequence[str], within: float | None = None) -> Iterator[tuple[str, str | None]]:
        for found in super().tags(users, within):
            if self.slow:
                self.meanwhile()
                self.slow -= 1
                self.now += 6.0
            yield found


@pytest.mark.integration
@pytest.mark.parametrize(("slow", "told"), [(1, True), (2, True), (3, False)])
def test_who_joins_while_accounts_are_looked_up_counts_too(slack: SlackServer, slow: int, told: bool) -> None:
    ana, ben = person(slack, "ana"), person(slack, "ben")
    channel = slack.workspace.channel("C1", "both", [ana], "private")
    api = SlackApi(BOT_TOKEN, slack.url, 20.0)
    joining = iter([ben, person(slack, "cem"), person(slack, "dora")])
    people = SlowPeople(api, slow, lambda: channel.members.append(next(joining)))
    made = SlackConversations(api, people, most=200, open_channels_are_public=False, monotonic=lambda: people.now)
    if told:
        assert made.readers(f"{TEAM}/C1") == tuple(
            f"user:{name}@acme.test" for name in ("ana", "ben", "cem")[: slow + 1])
    else:
        with pytest.raises(SurfaceDown, match="too long"):
            made.readers(f"{TEAM}/C1")


class Noted:
    """Changes that were told, as the ledger keeps them."""

    def __init__(self) -> None:
        self.told: dict[str, str] = {}

    def note(self, subject: str) -> None:
        self.told[subject] = f"{len(self.told)} {self.told.get(subject, '')}"

    def stamps(self, subjects: Iterable[str]) -> dict[str, str]:
        return {one: self.told[one] for one in subjects if one in self.told}


@pytest.mark.integration
@pytest.mark.parametrize("slow", [True, False], ids=["in a slow look", "in a quick one"])
def test_who_becomes_a_guest_while_others_are_looked_up_is_asked_for_again(slack: SlackServer, slow: bool) -> None:
    ana, ben = person(slack, "ana"), person(slack, "ben")
    slack.workspace.channel("C1", "both", [ana, ben], "private")
    api, changes, told = SlackApi(BOT_TOKEN, slack.url, 20.0), Noted(), [0.0]

    class Watched(People):
        def tags(self, users: Sequence[str], within: float | None = None) -> Iterator[tuple[str, str | None]]:
            for user, tag in super().tags(users, within):
                yield user, tag
                if user == ana and not told[0]:
                    slack.workspace.users[ana].guest = True
                    changes.note(ana)
                    told[0] = 6.0 if slow else 0.1

    people = Watched(api, {}, 60.0, lambda: told[0], changes)
    made = SlackConversations(api, people, most=200, open_channels_are_public=False, seconds=5.0, changes=changes,
                              monotonic=lambda: told[0])
    assert made.readers(f"{TEAM}/C1", anew=True) == PUBLIC


@pytest.mark.integration
def test_nobody_is_named_for_good_by_a_look_that_took_long(slack: SlackServer) -> None:
    """An event may have been lost, and the first of them a guest since."""
    ana, ben = person(slack, "ana"), person(slack, "ben")
    slack.workspace.channel("C1", "both", [ana, ben], "private")
    api, told = SlackApi(BOT_TOKEN, slack.url, 20.0), [0.0]

    class Slow(People):
        def tags(self, users: Sequence[str], within: float | None = None) -> Iterator[tuple[str, str | None]]:
            for user, tag in super().tags(users, within):
                yield user, tag
                if user == ana and not told[0]:
                    slack.workspace.users[ana].guest = True
                    told[0] = 60.0

    made = SlackConversations(api, Slow(api, {}, 60.0, lambda: told[0]), most=200, open_channels_are_public=False,
                              seconds=5.0, monotonic=lambda: told[0])
    assert made.named_readers(f"{TEAM}/C1") is None
    assert made.named_readers(f"{TEAM}/C1") is None         # quick now, and she is a guest


@pytest.mark.integration
def test_changes_that_never_end_are_an_outage(slack: SlackServer) -> None:
    ana = person(slack, "ana")
    slack.workspace.channel("C1", "one", [ana], "private")
    api, changes = SlackApi(BOT_TOKEN, slack.url, 20.0), Noted()

    class Restless(People):
        def tags(self, users: Sequence[str], within: float | None = None) -> Iterator[tuple[str, str | None]]:
            yield from super().tags(users, within)
            changes.note(ana)

    made = SlackConversations(api, Restless(api, {}, 60.0, changes=changes), most=200,
                              open_channels_are_public=False, seconds=5.0, changes=changes)
    with pytest.raises(SurfaceDown, match="all the time"):
        made.readers(f"{TEAM}/C1", anew=True)


@pytest.mark.integration
def test_a_channel_that_is_shared_while_members_are_told_is_public(
    slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, now = slack.workspace.channel("C1", "plans", [person(slack, "ana")], "private"), [0.0]
    api = SlackApi(BOT_TOKEN, slack.url, 20.0)
    pages = api.pages

    def slow(*words: Any, **options: Any) -> Iterator[Any]:
        yield from pages(*words, **options)
        if not channel.shared:
            now[0] += 6.0
        channel.shared = True

    monkeypatch.setattr(api, "pages", slow)
    made = SlackConversations(api, People(api, {}, 0.0), most=200, open_channels_are_public=False,
                              monotonic=lambda: now[0])
    assert made.readers(f"{TEAM}/C1") == PUBLIC


@pytest.mark.integration
def test_every_page_of_members_counts(slack: SlackServer) -> None:
    members = [person(slack, f"p{n}") for n in range(230)]
    slack.workspace.channel("C1", "large", members, "private")
    assert len(readers(slack, "C1", most=500)) == 230
    slack.workspace.users[members[-1]].guest = True
    assert readers(slack, "C1", most=500) == PUBLIC


@pytest.mark.integration
def test_somebody_who_has_left_the_organisation_reads_nothing(slack: SlackServer) -> None:
    ana, gone = person(slack, "ana"), person(slack, "gone", deleted=True)
    slack.workspace.channel("C1", "both", [ana, gone], "private")
    assert readers(slack, "C1") == ("user:ana@acme.test",)


@pytest.mark.integration
def test_a_map_tells_who_an_account_is_but_makes_no_member_of_a_guest(slack: SlackServer) -> None:
    app, guest = person(slack, "app", is_bot=True), person(slack, "guest", guest=True)
    mapped = {app: "group:staff", guest: "group:staff"}
    slack.workspace.channel("C1", "a", [app], "private")
    slack.workspace.channel("C2", "b", [app, guest], "private")
    assert readers(slack, "C1", mapped=mapped) == ("group:staff",)
    assert readers(slack, "C2", mapped=mapped) == PUBLIC
    with pytest.raises(Usage):
        readers(slack, "C1", mapped={app: "staff"})


@pytest.mark.integration
@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
@pytest.mark.parametrize("fault", ["500", "429", "reset", "lost"])
def test_slack_that_does_not_say_is_an_outage_and_never_nobody(slack: SlackServer, method: str, fault: str) -> None:
    slack.workspace.channel("C1", "a", [person(slack, "ana")], "private")
    slack.fault(method, fault)
    with pytest.raises(SurfaceDown):
        readers(slack, "C1")


WHOLE = User("U1", "ana", "Ana@Acme.test").json()


def test_an_account_that_slack_says_too_little_of_is_public() -> None:
    assert tag_of(WHOLE, TEAM, {}) == "user:ana@acme.test"
    for name in ("is_restricted", "is_ultra_restricted", "is_bot", "is_email_confirmed", "team_id", "profile"):
        assert tag_of({k: v for k, v in WHOLE.items() if k != name}, TEAM, {}) == "public", name
        assert tag_of(WHOLE | {name: None}, TEAM, {}) == "public", name
    for email in ("", "a b@c", "a:b@c", "a,b@c", None):
        assert tag_of(WHOLE | {"profile": {"email": email}}, TEAM, {}) == "public", email
    assert tag_of({}, TEAM, {}) == "public"


@pytest.mark.parametrize("text", ["", "T1", "T1/X1", "T1/C1/", "T1/C1/x", "T1/C1/1.5/2", "t1/c1", "T1/C1\n", "C1/T1"])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_place(text)


def test_a_place_is_read_as_it_was_written() -> None:
    for place in (Place("T1", "C1", "1700000000.000100"), Place("T1", "D1")):
        assert read_place(place.thread) == place


def test_only_people_say_something() -> None:
    said = {"user": "U1", "text": "x"}
    assert said_by_person(said) and said_by_person(said | {"subtype": "file_share"})
    for more in ({"bot_id": "B"}, {"app_id": "A"}, {"subtype": "channel_join"}, {"edited": {}}, {"user": ""}):
        assert not said_by_person(said | more)


def conversations(slack: SlackServer, **changes: Any) -> SlackConversations:
    api = SlackApi(BOT_TOKEN, slack.url, 20.0)
    chosen: dict[str, Any] = {"most": 200, "open_channels_are_public": False, "mapped": {}} | changes
    return SlackConversations(api, People(api, chosen.pop("mapped"), 0.0), **chosen)


@pytest.mark.integration
def test_named_readers_are_people_and_nobody_where_one_is_not_sure(slack: SlackServer) -> None:
    """Who reads along may read later what is written now: `public` would let everybody in."""
    ana, ben = person(slack, "ana"), person(slack, "ben")
    app, odd = person(slack, "app", is_bot=True), person(slack, "odd", guest=True)
    channel = slack.workspace.channel("C1", "both", [ana, ben], "private")
    named = ("user:ana@acme.test", "user:ben@acme.test")
    assert conversations(slack).named_readers(f"{TEAM}/C1") == named
    channel.members.append(app)
    assert conversations(slack).named_readers(f"{TEAM}/C1") is None
    assert conversations(slack, mapped={app: "group:staff"}).named_readers(f"{TEAM}/C1") == named
    channel.members[-1] = odd
    assert conversations(slack).named_readers(f"{TEAM}/C1") is None
    assert conversations(slack, most=1).named_readers(f"{TEAM}/C1") is None
    slack.workspace.channel("C2", "shared", [ana], "private", shared=True)
    for other in ("C2", "C9"):
        assert conversations(slack).named_readers(f"{TEAM}/{other}") is None
    assert conversations(slack, most=1).members(f"{TEAM}/C1") == {ana, ben, odd}
    assert conversations(slack).members("T9/C1") == conversations(slack).members(f"{TEAM}/C9") == frozenset()
