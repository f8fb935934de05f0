"""Channels that were set otherwise, on what people see in the loopback Slack."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, TEXTS, VPN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.hearing.asking import NAMED_NO_MORE
from bots.slack.progress.showing import TOLD
from bots.slack.simulator import Channel, Message
from vouch.adapters.ledger import SourceRow
from vouch.ports.surface import UNSET, ChannelSettings

pytestmark = pytest.mark.integration
ASKED = "How many weeks of parental leave do parents get?"


@pytest.fixture
def acme(place: Place) -> Iterator[Company]:
    with company(*place) as made:
        made.ledger.access.set_directory(made.access.directory)
        yield made


def answers(acme: Company, user: str, channel: Channel) -> list[Message]:
    """Without what says that somebody looks."""
    return [m for m in acme.answers(acme.slack.workspace.users[user], channel) if m.text != TOLD]


def both(acme: Company, **chosen: Any) -> Channel:
    """A channel of ana and ben, so set."""
    acme.ledger.slack_channels.set("C1", ChannelSettings(**chosen), "terminal")
    return acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")


@EVERYWHERE
def test_questions_are_answered_unasked_only_where_that_was_set(acme: Company) -> None:
    channel = both(acme, answers="questions")
    acme.ask(acme.ana, channel, "Lunch, anyone?")
    acme.ask(acme.ana, channel, f"<@{acme.ben.id}> {ASKED}")
    assert acme.answers(acme.ben, channel) == []
    asked = acme.ask(acme.ana, channel, ASKED)
    [answer] = acme.answers(acme.ben, channel)
    assert "12 weeks" in answer.shown() and answer.thread_ts == asked.ts
    other = acme.slack.workspace.channel("C2", "other", [acme.ana.id])
    acme.ask(acme.ana, other, ASKED)
    assert acme.answers(acme.ana, other) == []
    reply = acme.slack.deliveries.say(acme.ben.id, channel, "Who comes along?")
    acme.ask(acme.ana, channel, ASKED, reply.ts)
    assert len(acme.answers(acme.ben, channel)) == 1


def test_a_channel_is_answered_from_its_sources_alone(acme: Company) -> None:
    channel = both(acme, sources=("elsewhere",))
    acme.ask(acme.ana, channel, at(LEAVE))
    acme.ask(acme.ana, channel, at(f"{LEAVE} source:handbook"))
    assert "12 weeks" not in acme.shown(acme.ana, channel) and "only from: source elsewhere" in acme.shown(
        acme.ana, channel)
    both(acme, sources=("handbook", "elsewhere"))
    acme.ask(acme.ana, channel, at(LEAVE))
    assert "12 weeks" in acme.shown(acme.ana, channel)
    acme.ask(acme.ana, channel, at(PLAN))
    assert "60 days" not in acme.shown(acme.ana, channel)           # a source set for a channel gives nobody a right


@EVERYWHERE
def test_an_ephemeral_answer_holds_what_its_asker_may_read_and_nobody_else_sees_it(acme: Company) -> None:
    channel = both(acme, ephemeral=True)
    acme.ask(acme.ben, channel, at(PLAN))
    [answer] = answers(acme, acme.ben.id, channel)
    assert "60 days" in answer.shown() and answer.only_for == acme.ben.id
    assert acme.answers(acme.ana, channel) == []
    acme.ask(acme.ana, channel, at(PLAN))
    assert "60 days" not in acme.shown(acme.ana, channel) and len(answers(acme, acme.ana.id, channel)) == 1
    begun = acme.slack.deliveries.say(acme.ana.id, channel, "A thread.")
    acme.ask(acme.ben, channel, at(VPN), begun.ts)
    assert "90 days" not in acme.shown(acme.ben, channel)
    assert answers(acme, acme.ben.id, channel)[-1].thread_ts == begun.ts


def test_who_may_not_ask_is_told_so_alone(acme: Company) -> None:
    channel = both(acme, askers=("group:people", "U0NOBODY"))
    acme.ask(acme.ana, channel, at(LEAVE))
    [refusal] = soon(lambda: told(acme, acme.ana.id, channel, "only some"))
    assert refusal.only_for == acme.ana.id
    acme.ask(acme.ben, channel, at(LEAVE))
    assert sum("12 weeks" in m.shown() for m in acme.answers(acme.ben, channel)) == 1
    both(acme, askers=(acme.ana.id,))
    acme.ask(acme.ana, channel, at(LEAVE))
    assert sum("12 weeks" in m.shown() for m in acme.answers(acme.ana, channel)) == 2
    acme.ben.guest = True
    both(acme, askers=("group:people",))
    acme.ask(acme.ben, channel, at(LEAVE))
    assert sum("12 weeks" in m.shown() for m in acme.answers(acme.ana, channel)) == 2


def soon(look: Callable[[], list[Message]]) -> list[Message]:
    """What is said aside comes a moment later."""
    until = time.monotonic() + 5
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.01)
    return found


def told(acme: Company, user: str, channel: Channel, words: str) -> list[Message]:
    return [m for m in acme.slack.workspace.seen_by(user, channel.id) if words in m.shown()]


@pytest.mark.parametrize(("written", "found"), [
    ("source:handbook", True), ("in:handbook", True), ("from:handbook", True), ('source:"handbook"', True),
    ("path:leave.md", True), ("in:/leave.md", True), ("source:rules", False), ("path:hr/", False),
    ("after:2026-01-31", False), ("source:rules source:handbook", True), ("SOURCE:handbook path:plan.md", False),
])
def test_a_filter_in_a_question_narrows_it(acme: Company, written: str, found: bool) -> None:
    channel = both(acme)
    acme.ask(acme.ana, channel, at(f"{written} {LEAVE}"))
    [answer] = acme.answers(acme.ana, channel)
    assert ("12 weeks" in answer.shown()) == found and "only from: " in answer.shown()
    asked = acme.ledger.answers.get(str(answer.metadata["event_payload"]["answer_id"]))["question"]
    assert asked == LEAVE               # the words that a model reads, and that are searched for


@pytest.mark.parametrize(("written", "found"), [
    ("from:<@U0ANA>", True), ("owner:ana@acme.test", True), ("owner:group:support", True),
    ("from:<@U0BEN>", False), ("from:<@U0BEN> from:<@U0ANA>", True), ("from:<@U0ANA> source:rules", False),
])
def test_a_person_narrows_a_question_to_the_documents_they_look_after(
    acme: Company, written: str, found: bool
) -> None:
    acme.world.index.owners |= {"leave.md": ("user:ana@acme.test", "group:support"), "plan.md": ("user:ana@acme.test",)}
    channel = both(acme)
    acme.ask(acme.ana, channel, at(f"{written} {LEAVE}"))
    assert ("12 weeks" in acme.shown(acme.ana, channel)) == found and "only from: " in acme.shown(acme.ana, channel)
    acme.ask(acme.ana, channel, at(f"from:<@U0ANA> {PLAN}"))
    assert "60 days" not in acme.shown(acme.ana, channel)           # who looks after a document is no reader by that


@EVERYWHERE
def test_who_names_an_account_tells_nobody_its_address_or_its_tag(place: Place) -> None:
    with company(*place, people={"U0BOSS": "user:the-boss", "S0HELP": "group:secret"}) as acme:
        channel, direct = both(acme), acme.slack.workspace.direct(acme.ana.id)
        filters = "from:<@U0BEN> from:<@U0BOSS> from:<!subteam^S0HELP> owner:group:support"
        acme.ask(acme.ana, channel, at(f"{filters} {LEAVE}"))
        [answer] = acme.answers(acme.ana, channel)
        acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", f"{filters} {LEAVE}")
        acme.answer_all()
        for shown in (answer.shown(), acme.shown(acme.ana, direct)):
            assert "owner Ben, Boss, a user group, group:support" in shown
        for shown in (str(answer.blocks), str([one.blocks for one in acme.answers(acme.ana, direct)])):
            assert not any(secret in shown for secret in ("ben@acme.test", "the-boss", "group:secret"))


def test_a_guest_does_not_learn_whose_an_account_is_by_asking_for_its_documents(acme: Company) -> None:
    acme.ana.guest = True
    lobby = acme.slack.workspace.channel("C9", "lobby", [acme.ana.id])
    acme.ask(acme.ana, lobby, at(f"from:<@U0BEN> {LEAVE}"))
    acme.slack.deliveries.command(acme.ana.id, lobby, "/vouch", f"from:<@U0BEN> {LEAVE}")
    acme.answer_all()
    shown = acme.shown(acme.ana, lobby) + acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id))
    assert shown.count("owner somebody") == 2 and "owner Ben" not in shown


def test_a_source_that_the_channel_is_not_answered_from_is_refused_with_what_to_do(acme: Company) -> None:
    channel = both(acme, sources=("handbook",))
    acme.ask(acme.ana, channel, at(f"source:rules {LEAVE}"))
    [refusal] = soon(lambda: told(acme, acme.ana.id, channel, "not answered from that source"))
    assert refusal.only_for == acme.ana.id and "ask in a direct message" in refusal.shown()
    acme.ask(acme.ana, channel, at(f"source:rules source:handbook {LEAVE}"))
    assert "12 weeks" in acme.shown(acme.ana, channel)


def test_who_is_not_surely_known_owns_nothing_that_could_be_asked_for(acme: Company) -> None:
    acme.world.index.owners |= {"leave.md": ("user:ben@acme.test",)}
    channel = both(acme)
    acme.ben.guest = True
    acme.ask(acme.ana, channel, at(f"from:<@U0BEN> {LEAVE}"))
    assert soon(lambda: told(acme, acme.ana.id, channel, "whose documents"))
    assert "12 weeks" not in acme.shown(acme.ana, channel)


def test_the_name_of_a_channel_stands_for_its_sources_where_one_may_know_them(acme: Company) -> None:
    space = acme.slack.workspace
    lobby = space.channel("C9", "lobby", [acme.ana.id])
    for kind, found in (("channel", True), ("private", False)):
        space.channel("C5", "rules", [acme.ben.id], kind)
        acme.ledger.slack_channels.set("C5", ChannelSettings(sources=("rules",)), "terminal")
        acme.ask(acme.ana, lobby, at(f"{LEAVE} <#C5|rules>"))
        assert ("only from: source rules" in acme.answers(acme.ana, lobby)[-1].shown()) == found
    assert "12 weeks" in acme.answers(acme.ana, lobby)[-1].shown()
    asked = acme.slack.deliveries.say(acme.ana.id, lobby, at(f"{LEAVE} in:<#C5|rules>"))
    assert acme.ledger.answers.by_question(f"slack:T0ACME:C9:{asked.ts}") is None


def test_a_guest_learns_no_sources_of_a_channel_that_the_guest_is_not_in(acme: Company) -> None:
    space = acme.slack.workspace
    gus = space.user("U0GUEST", "Gus", "gus@ext.test", guest=True)
    lobby, rules = space.channel("C9", "lobby", [gus.id]), space.channel("C5", "rules", [acme.ben.id])
    acme.ledger.slack_channels.set("C5", ChannelSettings(sources=("merger",)), "terminal")
    acme.ask(gus, lobby, at(f"{LEAVE} in:<#C5|rules>"))
    acme.ask(gus, lobby, at(f"{LEAVE} <#C5>"))
    acme.ask(gus, space.direct(gus.id), f"{LEAVE} in:<#C5>")
    assert "merger" not in acme.shown(gus, lobby) + acme.shown(gus, space.direct(gus.id))
    rules.members.append(gus.id)
    acme.ask(gus, lobby, at(f"{LEAVE} in:<#C5|rules>"))
    assert "only from: source merger" in acme.shown(gus, lobby)


@pytest.mark.parametrize("wrong", ["after:soon", "from:<@U0NOBODY>", "from:@ben", "in:<#C7>"])
def test_a_filter_that_cannot_be_obeyed_is_said_and_nothing_is_searched(acme: Company, wrong: str) -> None:
    channel = both(acme)
    acme.ask(acme.ana, channel, at(f"{LEAVE} {wrong}"))
    assert not acme.ledger.outbox.counts() and "12 weeks" not in acme.shown(acme.ana, channel)
    assert acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", f"{LEAVE} {wrong}").startswith("I did not ask")


@EVERYWHERE
def test_a_private_answer_keeps_the_filters_of_its_question(acme: Company) -> None:
    channel = both(acme)
    acme.ask(acme.ana, channel, at(f"{PLAN} path:leave.md"))
    [answer] = acme.answers(acme.ben, channel)
    button = next(one["elements"][0] for one in answer.blocks if one["type"] == "actions")
    acme.slack.deliveries.press(acme.ben.id, answer, {
        "type": "button", "action_id": button["action_id"], "value": button["value"]})
    acme.answer_all()
    direct = acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))
    assert "60 days" not in direct and "path leave.md" in direct


@EVERYWHERE
def test_a_question_has_the_words_of_its_last_edit_while_it_waits(acme: Company) -> None:
    channel = both(acme)
    asked = acme.slack.deliveries.say(acme.ana.id, channel, at(VPN))
    acme.slack.deliveries.edit(asked, at("When are VPN keys rotated?"))
    acme.slack.deliveries.edit(asked, at(f"{LEAVE} source:handbook"))
    acme.answer_all()
    [answer] = acme.answers(acme.ana, channel)
    assert "12 weeks" in answer.shown() and "only from: source handbook" in answer.shown()
    acme.slack.deliveries.edit(asked, at(PLAN))
    acme.answer_all()
    assert len(acme.answers(acme.ana, channel)) == 1
    kept = acme.ledger.changed.find(f"slack:T0ACME:C1:{asked.ts}")
    assert kept is not None and kept.text is None           # none of its words


def test_what_slack_tells_late_of_an_edit_changes_nothing(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    asked, gone = (acme.slack.deliveries.say(acme.ben.id, people, at(LEAVE)) for _ in range(2))
    for message in (asked, gone):
        acme.slack.deliveries.edit(message, at("Who is on call?"))
    edits = acme.slack.deliveries.log[-2:]
    acme.slack.deliveries.edit(asked, at(PLAN))
    acme.slack.deliveries.delete(gone)
    for late in edits:
        assert acme.slack.deliveries.anew(late.event).acked
    acme.answer_all()
    [answer] = acme.answers(acme.ben, people)
    assert answer.thread_ts == asked.ts and "60 days" in answer.shown()


@EVERYWHERE
def test_a_question_that_is_none_any_more_is_not_answered(acme: Company) -> None:
    channel, asked = both(acme), []
    for into in ("", "never mind", at("from:<@U0NOBODY> leave?")):
        asked.append(acme.slack.deliveries.say(acme.ana.id, channel, at(LEAVE)))
        acme.slack.deliveries.edit(asked[-1], into) if into else acme.slack.deliveries.delete(asked[-1])
    acme.answer_all()
    acme.slack.deliveries.say(acme.ana.id, channel, "hello")
    assert acme.bot is not None
    acme.bot.rest()
    named_no_more, refused = acme.answers(acme.ana, channel)
    assert named_no_more.text == NAMED_NO_MORE and refused.text.startswith("I did not ask this")
    assert acme.answers(acme.ben, channel) == []
    assert all(acme.ledger.answers.answered(f"slack:T0ACME:C1:{one.ts}") for one in asked)


def test_a_preview_and_the_edit_of_what_was_no_question_change_nothing(acme: Company) -> None:
    channel = both(acme)
    asked = acme.slack.deliveries.say(acme.ana.id, channel, at(LEAVE))
    chatter = acme.slack.deliveries.say(acme.ben.id, channel, "see you at three")
    acme.slack.deliveries.edit(asked, asked.text)
    acme.slack.deliveries.edit(chatter, "see you at four")
    acme.slack.deliveries.delete(chatter)
    kept = acme.ledger.changed.find(f"slack:T0ACME:C1:{chatter.ts}")
    assert kept is not None and kept.text is None           # not a word of it
    acme.answer_all()
    assert "12 weeks" in acme.shown(acme.ana, channel)


VALUES: dict[str, Any] = {
    "answers": {"answers": {"selected_option": {"value": "questions"}}},
    "readers": {"readers": {"selected_option": {"value": "asker"}}},
    "sources": {"sources": {"value": "handbook, rules"}}, "askers": {"askers": {"selected_users": ["U0ANA"]}},
    "tags": {"tags": {"value": "group:people"}}, "owners": {"owners": {"value": "user:ben@acme.test, group:desk"}},
}


@EVERYWHERE
def test_who_may_change_a_channel_does_so_in_a_window(acme: Company) -> None:
    for who in ("admin", "creator", "owner"):
        channel = both(acme, owners=("group:desk", *(["group:engineering"] if who == "owner" else [])))
        acme.ana.admin, channel.creator = who == "admin", acme.ana.id if who == "creator" else ""
        assert acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", "settings") == "", who
        view = acme.slack.workspace.views[-1]
        assert acme.slack.deliveries.submitted(acme.ana.id, view, VALUES)[0], who
        assert acme.ledger.slack_channels.get("C1") == ChannelSettings(
            answers="questions", sources=("handbook", "rules"), ephemeral=True, askers=("U0ANA", "group:people"),
            owners=("user:ben@acme.test", "group:desk")), who


def test_others_may_not_even_if_they_could_once(acme: Company) -> None:
    channel = both(acme)
    acme.ana.admin = True
    acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", "settings")
    view = acme.slack.workspace.views[-1]
    count = len(acme.slack.workspace.views)
    assert "Only admins" in acme.slack.deliveries.command(acme.ben.id, channel, "/vouch", "settings")
    for change in ({"admin": False}, {"guest": True}, {"team": "T9"}, {"deleted": True}, {"is_bot": True}):
        vars(acme.ana).update({"admin": True, "guest": False, "team": "T0ACME", "deleted": False, "is_bot": False}
                              | change)
        assert "Only admins" in str(acme.slack.deliveries.submitted(acme.ana.id, view, VALUES)[1])
    vars(acme.ana).update({"is_bot": False})
    channel.members.remove(acme.ana.id)
    assert "Only admins" in str(acme.slack.deliveries.submitted(acme.ana.id, view, VALUES)[1])
    assert acme.ledger.slack_channels.get("C1") == UNSET and len(acme.slack.workspace.views) == count


def test_operators_alone_are_told_which_names_stand_for_nobody(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_HTTP__OPERATORS", "group:people")
    with company(*place) as acme:
        acme.ledger.access.set_directory(acme.access.directory)
        channel = both(acme)
        unknown = VALUES | {"tags": {"tags": {"value": "group:poeple, group:people, S0614TZR7"}},
                            "owners": {"owners": {"value": "user:bne@acme.test, group:poeple"}}}
        for person in (acme.ana, acme.ben):
            person.admin = True
            for values, names in ((unknown, ("group:poeple", "user:bne@acme.test")), (VALUES, ("group:desk",))):
                acme.slack.deliveries.command(person.id, channel, "/vouch", "settings")
                shown = len(acme.slack.workspace.views)
                acked, reply = acme.slack.deliveries.submitted(person.id, acme.slack.workspace.views[-1], values)
                assert acked and acme.ledger.slack_channels.get("C1").owners
                warned = str(acme.slack.workspace.views[shown:])
                assert (person is acme.ben) == all(name in warned for name in names)
                assert person is acme.ben or not reply
        assert "did you mean group:people?" in str(acme.slack.workspace.views)


def test_operators_alone_are_told_which_sources_are_not_there_and_which_are(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_HTTP__OPERATORS", "group:people")
    with company(*place) as acme:
        acme.ledger.access.set_directory(acme.access.directory)
        acme.ledger.sources.add(SourceRow("handbook", "folder", "handbook"))
        channel = both(acme)
        for person, told in ((acme.ana, False), (acme.ben, True)):
            person.admin = True
            acme.slack.deliveries.command(person.id, channel, "/vouch", "settings")
            shown = len(acme.slack.workspace.views)
            assert acme.slack.deliveries.submitted(person.id, acme.slack.workspace.views[-1], VALUES)[0]
            assert acme.ledger.slack_channels.get("C1").sources == ("handbook", "rules")
            assert ("source rules: there are handbook" in str(acme.slack.workspace.views[shown:])) == told


def test_settings_that_are_stored_are_not_told_as_a_failure(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_HTTP__OPERATORS", "group:people")
    with company(*place) as acme:
        channel, kept = both(acme), type(acme.ledger.slack_channels).set

        def then_slack_is_away(*given: Any) -> None:
            kept(*given)
            for _ in range(9):
                acme.slack.fault("users.info", "500")

        acme.ben.admin = True
        acme.slack.deliveries.command(acme.ben.id, channel, "/vouch", "settings")
        monkeypatch.setattr(type(acme.ledger.slack_channels), "set", then_slack_is_away)
        assert acme.slack.deliveries.submitted(acme.ben.id, acme.slack.workspace.views[-1], VALUES)[0]
        assert acme.ledger.slack_channels.get("C1").owners


def test_what_cannot_be_set_keeps_the_window_open(acme: Company) -> None:
    channel = both(acme)
    acme.ana.admin = True
    acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", "settings")
    wrong = VALUES | {"tags": {"tags": {"value": "everybody"}}}
    acked, reply = acme.slack.deliveries.submitted(acme.ana.id, acme.slack.workspace.views[-1], wrong)
    assert acked and reply["response_action"] == "errors" and list(reply["errors"]) == ["tags"]
    assert acme.ledger.slack_channels.get("C1") == UNSET
    assert "Only channels" in acme.slack.deliveries.command(
        acme.ana.id, acme.slack.workspace.direct(acme.ana.id), "/vouch", "settings")


def test_signs_that_nobody_sees_are_not_kept(acme: Company) -> None:
    channel = both(acme)
    acme.ana.admin = True
    acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", "settings")
    pasted = VALUES | {"tags": {"tags": {"value": "user:ana@acme.test\u200b, \u2060, group:people"}}}
    acme.slack.deliveries.submitted(acme.ana.id, acme.slack.workspace.views[-1], pasted)
    assert set(acme.ledger.slack_channels.get("C1").askers) >= {"user:ana@acme.test", "group:people"}


def test_texts_lie_in_the_source_that_these_tests_name(acme: Company) -> None:
    assert {p.source for p in acme.world.index.passages} == {"handbook"} and len(TEXTS) == 3


def test_settings_go_with_a_channel_that_gets_another_id(acme: Company) -> None:
    """As Slack may give it when it is shared with another organisation."""
    acme.ledger.slack_channels.set("C1", ChannelSettings(askers=("user:boss@acme.test",)), "test")
    moved = {"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C2", "event_ts": "1.0"}
    assert acme.slack.deliveries.event(moved, "channel_id_changed").acked  # type: ignore[union-attr]
    assert [row.channel for row in acme.ledger.slack_channels.list()] == ["C2"]
    where = acme.slack.workspace.channel("C2", "one", [acme.ben.id], "private")
    acme.ask(acme.ben, where, at(LEAVE))
    assert "only some people" in acme.shown(acme.ben, where)
