"""Who may read more than the others is told so alone; what was answered in private is answered anew for the others."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company
from slack_scene.slack_places import EVERYWHERE
from slack_scene.slack_places import Place as KeptIn

from bots.slack.answers.afterwards import MORE
from bots.slack.answers.sharing import NOT_THERE, NOWHERE, SHARED
from bots.slack.channels.rules import FOR_ONE, NOT_YOU
from bots.slack.hearing.asking import Asking
from bots.slack.place import Place, payload_of
from bots.slack.questions import Asked, question
from bots.slack.simulator import Channel, Message, User
from bots.slack.simulator.workspace import BOT_USER
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import IndexDown
from vouch.messages import TagsAudience
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
SAYS = "60 days"


@pytest.fixture
def both(acme: Company) -> Channel:
    return acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")


def told_alone(acme: Company, person: User, channel: Channel) -> list[Message]:
    return [m for m in acme.answers(person, channel) if m.only_for and m.text == MORE]


def press(acme: Company, person: User, message: Message, action_id: str) -> None:
    [button] = [one for block in message.blocks if block["type"] == "actions" for one in block["elements"]
                if one["action_id"] == action_id]
    assert acme.slack.deliveries.press(person.id, message, {
        "type": "button", "action_id": action_id, "value": button["value"]})
    acme.answer_all()


def in_private(acme: Company, person: User, channel: Channel) -> Message:
    [told] = told_alone(acme, person, channel)
    press(acme, person, told, "vouch_ask_privately")
    return acme.answers(person, acme.slack.workspace.direct(person.id))[-1]


def test_only_who_asked_and_may_read_more_is_told_so_and_reads_it_alone(acme: Company, both: Channel) -> None:
    asked = acme.ask(acme.ben, both, at(PLAN))
    [told] = told_alone(acme, acme.ben, both)
    assert told.thread_ts == asked.ts and told_alone(acme, acme.ana, both) == []
    assert SAYS not in acme.shown(acme.ana, both) + acme.shown(acme.ben, both)
    assert SAYS in in_private(acme, acme.ben, both).shown()
    assert SAYS not in acme.shown(acme.ana, both)


@pytest.mark.parametrize(("tag", "told"), [("group:people", 1), ("group:engineering", 0), ("public", 0)])
def test_whoever_has_the_rights_of_a_group_is_told_of_more(place: KeptIn, tag: str, told: int) -> None:
    with company(*place, people={"U0PAT": tag}) as acme:
        pat = acme.slack.workspace.user("U0PAT", "Pat", "pat@x.test")
        both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, pat.id], "private")
        acme.ask(pat, both, at(PLAN))
        assert len(told_alone(acme, pat, both)) == told
        if told:
            assert SAYS in in_private(acme, pat, both).shown()


def test_nobody_is_told_where_nothing_better_is_kept_from_the_others(acme: Company, both: Channel) -> None:
    acme.ask(acme.ana, both, at(PLAN))                  # what ana may not read is not for her to know of
    acme.ask(acme.ben, both, at(LEAVE))                 # everybody reads the best there is
    for person in (acme.ana, acme.ben):
        assert told_alone(acme, person, both) == []
    alone = acme.slack.workspace.channel("C2", "people", [acme.ben.id], "private")
    acme.ask(acme.ben, alone, at(PLAN))
    assert SAYS in acme.shown(acme.ben, alone) and told_alone(acme, acme.ben, alone) == []


def test_who_asked_further_down_in_a_thread_is_told_too(acme: Company, both: Channel) -> None:
    first = acme.ask(acme.ana, both, at(LEAVE))
    acme.ask(acme.ben, both, PLAN, first.ts)
    [told] = told_alone(acme, acme.ben, both)
    assert told.thread_ts == first.ts and told_alone(acme, acme.ana, both) == []


@EVERYWHERE
def test_a_shared_answer_is_made_anew_for_everybody_there(acme: Company, both: Channel) -> None:
    asked = acme.ask(acme.ben, both, at(PLAN))
    private = in_private(acme, acme.ben, both)
    for _ in range(2):
        press(acme, acme.ben, private, "vouch_share")
    posted = [m for m in acme.answers(acme.ana, both) if not m.only_for]
    assert [m.thread_ts for m in posted] == [asked.ts, asked.ts]
    assert SAYS not in acme.shown(acme.ana, both) and "plan.md" not in acme.shown(acme.ana, both)
    acme.bot.rest()  # type: ignore[union-attr]
    assert SHARED in acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))


@pytest.mark.parametrize(("settings", "told"), [
    (ChannelSettings(ephemeral=True), FOR_ONE), (ChannelSettings(askers=("user:ana@acme.test",)), NOT_YOU),
    (ChannelSettings(sources=("elsewhere",)), SHARED),
])
def test_what_was_set_for_the_channel_since_counts_for_sharing(
    acme: Company, both: Channel, settings: ChannelSettings, told: str
) -> None:
    acme.ask(acme.ben, both, at(PLAN))
    private = in_private(acme, acme.ben, both)
    acme.ledger.slack_channels.set(both.id, settings, "test")
    press(acme, acme.ben, private, "vouch_share")
    acme.bot.rest()  # type: ignore[union-attr]
    assert told in acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))
    posted = [m for m in acme.answers(acme.ana, both) if not m.only_for]
    assert len(posted) == (2 if told is SHARED else 1)
    shared = acme.ledger.asked_by.find(str(payload_of(posted[-1].json(metadata=True))["answer_id"]))
    assert shared and shared.question.filters.sources == (settings.sources if told is SHARED else None)


@EVERYWHERE
def test_a_follow_up_is_asked_in_private_as_it_was_understood(acme: Company, both: Channel) -> None:
    first = acme.ask(acme.ana, both, at(LEAVE))
    acme.ask(acme.ana, both, at("And for parents?"), first.ts)
    [*_, answer] = acme.answers(acme.ana, both)
    press(acme, acme.ana, answer, "vouch_ask_privately")
    asked = acme.ledger.asked_by.recent("user:ana@acme.test", "slack", datetime.now(UTC) - timedelta(hours=1), 10)
    understood = next(one.body["understood_as"] for one in asked if one.body.get("understood_as"))
    private = next(one for one in asked if "privately" in one.question.id)
    assert private.question.text == understood != "And for parents?"


def test_words_that_may_not_go_to_the_web_may_not_when_they_are_asked_again(acme: Company, both: Channel) -> None:
    first = acme.ask(acme.ana, both, at(LEAVE))
    acme.ask(acme.ana, both, LEAVE, first.ts)                   # a reply that names nobody
    [*_, answer] = acme.answers(acme.ana, both)
    press(acme, acme.ana, answer, "vouch_ask_privately")
    asked = acme.ledger.asked_by.recent("user:ana@acme.test", "slack", datetime.now(UTC) - timedelta(hours=1), 10)
    private, reply, mention = (one.question.outside for one in asked)
    assert (mention, reply, private) == (True, False, False)


def test_what_a_purge_has_emptied_is_not_asked_again(acme: Company, both: Channel) -> None:
    acme.ask(acme.ana, both, at(LEAVE))
    [answer] = acme.answers(acme.ana, both)
    [sent] = acme.ledger.asked_by.recent("user:ana@acme.test", "slack", datetime.now(UTC) - timedelta(hours=1), 10)
    made = [str(sent.body["id"])]
    acme.ledger.erasure.erase(Target((), (), lambda data: False), made, made)
    press(acme, acme.ana, answer, "vouch_ask_privately")
    assert acme.answers(acme.ana, acme.slack.workspace.direct(acme.ana.id)) == []


def test_what_all_may_read_by_then_is_shared_with_them(acme: Company, both: Channel) -> None:
    acme.ask(acme.ben, both, at(PLAN))
    private = in_private(acme, acme.ben, both)
    both.members.remove(acme.ana.id)
    press(acme, acme.ben, private, "vouch_share")
    assert SAYS in acme.shown(acme.ben, both)


def test_nothing_is_shared_by_others_or_where_one_is_not(acme: Company, both: Channel) -> None:
    acme.ask(acme.ben, both, at(PLAN))
    private = in_private(acme, acme.ben, both)
    press(acme, acme.boss, private, "vouch_share")      # a button whose value was learned, by somebody else
    both.members.remove(acme.ben.id)
    press(acme, acme.ben, private, "vouch_share")
    assert len([m for m in acme.answers(acme.ana, both) if not m.only_for]) == 1
    acme.bot.rest()  # type: ignore[union-attr]
    assert NOT_THERE in acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))


def test_nobody_shares_what_somebody_else_was_answered_alone(acme: Company, both: Channel) -> None:
    """Also one who is there, and has learned the value of the button."""
    acme.ask(acme.ben, both, at(PLAN))
    private = in_private(acme, acme.ben, both)
    press(acme, acme.ana, private, "vouch_share")
    assert len([m for m in acme.answers(acme.ana, both) if not m.only_for]) == 1


def test_where_slack_tells_of_no_question_any_more_only_its_asker_gets_it_back(acme: Company, both: Channel) -> None:
    acme.ask(acme.ana, both, at(LEAVE))
    [answer] = acme.answers(acme.ana, both)
    both.members.remove(BOT_USER)
    for person, found in ((acme.ben, False), (acme.ana, True)):
        press(acme, person, answer, "vouch_ask_privately")
        assert ("12 weeks" in acme.shown(person, acme.slack.workspace.direct(person.id))) is found


@pytest.mark.parametrize("value", ["unknown", ""])
def test_a_button_of_no_answer_shares_nothing(acme: Company, both: Channel, value: str) -> None:
    direct = acme.slack.workspace.direct(acme.ben.id)
    acme.ask(acme.ben, direct, PLAN)
    [answer] = acme.answers(acme.ben, direct)
    assert "Share" not in answer.shown()                # it was asked nowhere else
    acme.slack.deliveries.press(acme.ben.id, answer, {"type": "button", "action_id": "vouch_share", "value": value})
    acme.bot.rest()  # type: ignore[union-attr]
    assert NOWHERE in acme.shown(acme.ben, direct)


@pytest.mark.parametrize("method", ["conversations.replies", "chat.postEphemeral"])
def test_slack_that_does_not_take_it_costs_no_answer_and_is_told_again(acme: Company, method: str) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id])
    for _ in range(500):                # the sender looks for shown stages by the first of them, too
        acme.slack.fault(method, "500")
    acme.ask(acme.ben, both, at(PLAN))
    assert told_alone(acme, acme.ben, both) == [] and len(acme.answers(acme.ana, both)) == 1
    acme.slack.faults[method].clear()
    [waits] = acme.ledger.notices.waiting()
    acme.ledger.notices.later(waits, datetime.now(UTC))
    acme.noticed()
    assert len(told_alone(acme, acme.ben, both)) == 1 and len(acme.answers(acme.ana, both)) == 1


@pytest.mark.parametrize("fault", ["lost", "done500"])
def test_who_may_read_more_is_told_so_whatever_becomes_of_the_post(acme: Company, fault: str) -> None:
    """The answer is there, and whoever posted it does not know, as after a crash."""
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.slack.fault("chat.postMessage", fault)
    acme.slack.deliveries.say(acme.ben.id, both, at(PLAN))
    acme.answer_all(400)
    assert len(told_alone(acme, acme.ben, both)) == 1 and len(acme.answers(acme.ana, both)) == 1


def test_an_index_that_is_down_while_that_is_looked_up_costs_no_answer(
    acme: Company, both: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, views = acme.world.index.view, []

    def view(audience: Any, *filters: Any) -> Any:
        views.append(audience)
        if len(views) > 1:
            raise IndexDown("the index is away")
        return real(audience, *filters)

    monkeypatch.setattr(acme.world.index, "view", view)
    acme.ask(acme.ben, both, at(PLAN))
    assert len(views) == 2 and len(acme.answers(acme.ana, both)) == 1 and told_alone(acme, acme.ben, both) == []


def shares_with_own_rights(
    self: Asking, place: Place, name: str, again: Asked, user: str, at: datetime, team: str
) -> str:
    """The planted bug: what is shared is made with the rights of who shares it."""
    asked = question(place, name, again.text, self.people.voter(user), at, self.clock() + self.time_to_answer,
                     addressed=True)
    self.send(asked.model_copy(update={"audience": TagsAudience(tags=(self.people.voter(user),))}))
    return ""


def test_a_share_with_the_rights_of_who_shares_would_be_seen(
    place: KeptIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Asking, "asked_for_all", shares_with_own_rights)
    with company(*place) as acme:
        both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
        acme.ask(acme.ben, both, at(PLAN))
        press(acme, acme.ben, in_private(acme, acme.ben, both), "vouch_share")
        assert SAYS in acme.shown(acme.ana, both)
