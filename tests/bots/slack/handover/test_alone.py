"""Who asked alone wants a human: what owners then get, who may do what, and what of it anybody sees."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company
from slack_scene.slack_places import Place

from bots.slack.answers.layout import NEED_ALONE
from bots.slack.handoff.alone import NOBODY, Alone
from bots.slack.handoff.views import RESOLVE, TAKE
from bots.slack.simulator import Channel, Message, User
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
SAYS = "60 days"


@pytest.fixture
def acme(place: Place) -> Iterator[Company]:
    with company(*place, owners="user:boss@acme.test") as made:
        yield made


def soon(look: Callable[[], Any], seconds: float = 10.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def direct(acme: Company, person: User) -> Channel:
    return acme.slack.workspace.direct(person.id)


def press(acme: Company, person: User, message: Message, action: str) -> None:
    [value] = [one["value"] for block in message.blocks if block["type"] == "actions" for one in block["elements"]
               if one["action_id"] == action]
    assert acme.slack.deliveries.press(person.id, message, {"type": "button", "action_id": action, "value": value})


def window(acme: Company, person: User, message: Message, action: str) -> dict[str, Any]:
    before = len(acme.slack.workspace.views)
    press(acme, person, message, action)
    assert soon(lambda: len(acme.slack.workspace.views) > before)
    return acme.slack.workspace.views[before]


def sent(acme: Company, person: User, message: Message) -> Message:
    """What the owner gets once the person has agreed."""
    view = window(acme, person, message, NEED_ALONE)
    assert acme.slack.deliveries.submit(person.id, view, {})
    told: list[Message] = soon(lambda: acme.answers(acme.boss, direct(acme, acme.boss)))
    return told[-1]


def asked(acme: Company, person: User, text: str) -> Message:
    acme.ask(person, direct(acme, person), text)
    return acme.answers(person, direct(acme, person))[-1]


def test_owners_get_the_question_alone_once_its_asker_has_agreed(acme: Company) -> None:
    answer = asked(acme, acme.ben, PLAN)
    assert SAYS in answer.shown()
    view = window(acme, acme.ben, answer, NEED_ALONE)
    assert "neither the answer" in str(view) and PLAN in str(view)
    assert acme.answers(acme.boss, direct(acme, acme.boss)) == [] and acme.ledger.handoffs.list() == []
    told = sent(acme, acme.ben, answer)
    assert PLAN in told.shown() and "Ben would like a human" in told.shown()
    assert SAYS not in str(told) and "plan.md" not in str(told)
    assert acme.answers(acme.ana, direct(acme, acme.ana)) == []


def test_taken_and_resolved_come_to_the_asker_alone_and_no_draft_of_it(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id, acme.boss.id], "private")
    acme.ledger.slack_channels.set(both.id, ChannelSettings(ephemeral=True), "test")
    acme.ask(acme.ben, both, at(PLAN))
    [answer] = [m for m in acme.answers(acme.ben, both) if SAYS in m.shown()]
    told = sent(acme, acme.ben, answer)
    press(acme, acme.boss, told, TAKE)
    view = window(acme, acme.boss, told, RESOLVE)
    assert "keep" not in str(view["blocks"])
    assert acme.slack.deliveries.submit(acme.boss.id, view, {
        "words": {"words": {"value": "Ask me again in May."}}, "keep": {"keep": {"selected_option": {"value": "90"}}}})
    assert soon(lambda: "in May" in acme.shown(acme.ben, direct(acme, acme.ben)))
    assert "Boss takes it." in acme.shown(acme.ben, direct(acme, acme.ben))
    assert "May" not in acme.shown(acme.ana, both) and "takes" not in acme.shown(acme.ana, both)
    [found] = acme.ledger.handoffs.list()
    assert (found.state, found.taken_by, found.words) == ("resolved", "user:boss@acme.test", "Ask me again in May.")
    assert acme.ledger.drafts.list() == []


def test_nobody_but_its_asker_sends_it_and_nobody_but_owners_act(acme: Company) -> None:
    answer = asked(acme, acme.ana, LEAVE)
    press(acme, acme.ben, answer, NEED_ALONE)           # a value that was learned
    own = window(acme, acme.ana, answer, NEED_ALONE)
    assert acme.slack.deliveries.submit(acme.ben.id, own, {})
    assert acme.ledger.handoffs.list() == [] and "no longer kept" in str(acme.slack.workspace.views[-1])
    told = sent(acme, acme.ana, answer)
    for action in (TAKE, RESOLVE):
        press(acme, acme.ben, told, action)
    assert acme.ledger.handoffs.list()[0].state == "open" and acme.ledger.handoffs.list()[0].taken_by is None


def test_where_nobody_looks_after_it_the_person_is_told_so(place: Place) -> None:
    with company(*place) as acme:
        answer = asked(acme, acme.ben, PLAN)
        assert acme.slack.deliveries.submit(acme.ben.id, window(acme, acme.ben, answer, NEED_ALONE), {})
        assert NOBODY in str(acme.slack.workspace.views[-1]) and acme.ledger.handoffs.list() == []


def test_owners_of_documents_near_the_question_that_the_asker_may_read_come_first(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[str, str]] = []

    def near(asker: str, rights: str, answer_id: str) -> list[str]:
        given.append((asker, rights))
        return ["handbook:leave.md"]

    def one(self: Any, documents: Any) -> list[str]:
        return self.accounts.of(["user:ana@acme.test", "user:ben@acme.test"]) if list(documents) else []

    real = Alone.owners_of
    monkeypatch.setattr("bots.slack.handoff.owners.Owners.of_documents", one)
    monkeypatch.setattr(Alone, "owners_of", lambda self, sent: real(
        Alone(self.ledger, self.people, self.accounts, self.owners, near, self.still), sent))
    answer = asked(acme, acme.ana, LEAVE)
    view = window(acme, acme.ana, answer, NEED_ALONE)
    assert acme.slack.deliveries.submit(acme.ana.id, view, {})
    assert soon(lambda: LEAVE in acme.shown(acme.ben, direct(acme, acme.ben)))
    assert acme.answers(acme.boss, direct(acme, acme.boss)) == []           # the settings' owner is the last resort
    assert sum(LEAVE in m.shown() for m in acme.answers(acme.ana, direct(acme, acme.ana))) == 0     # not to oneself
    assert set(given) == {("user:ana@acme.test", "user:ana@acme.test")}


def test_each_question_of_one_person_reaches_owners_and_its_answer_says_which(acme: Company) -> None:
    """All of these share a conversation, or begin under no message."""
    both = acme.slack.workspace.channel("C1", "both", [acme.ben.id, acme.boss.id], "private")
    for text in (LEAVE, PLAN):
        acme.slack.deliveries.command(acme.ben.id, both, "/vouch", text)
        acme.answer_all()
    answers = acme.answers(acme.ben, direct(acme, acme.ben))
    for number, answer in enumerate(answers, 1):
        assert acme.slack.deliveries.submit(acme.ben.id, window(acme, acme.ben, answer, NEED_ALONE), {})
        assert "Sent." in str(acme.slack.workspace.views[-1])
        assert soon(lambda n=number: len(acme.answers(acme.boss, direct(acme, acme.boss))) == n)
    again = window(acme, acme.ben, answers[0], NEED_ALONE)
    assert acme.slack.deliveries.submit(acme.ben.id, again, {})
    assert "asked already" in str(acme.slack.workspace.views[-1])
    first, second = acme.answers(acme.boss, direct(acme, acme.boss))
    assert LEAVE in first.shown() and PLAN in second.shown()
    press(acme, acme.boss, second, TAKE)
    taken: Message = soon(lambda: acme.answers(acme.ben, direct(acme, acme.ben))[2:])[0]
    assert "Boss takes it." in taken.shown() and PLAN in taken.shown() and LEAVE not in taken.shown()


def test_who_was_asked_may_answer_once_the_document_is_corrected(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then its old passages are gone, and nobody could tell any more that they are an owner of what was near."""
    real = Alone.owners_of
    near: list[str] = ["handbook:vpn.md"]
    monkeypatch.setattr("bots.slack.handoff.owners.Owners.of_documents",
                        lambda self, documents: self.accounts.of(["user:ana@acme.test"] if list(documents) else []))
    monkeypatch.setattr(Alone, "owners_of", lambda self, sent: real(
        Alone(self.ledger, self.people, self.accounts, self.owners, lambda *_: near, self.still), sent))
    answer = asked(acme, acme.ben, LEAVE)
    assert acme.slack.deliveries.submit(acme.ben.id, window(acme, acme.ben, answer, NEED_ALONE), {})
    told = soon(lambda: acme.answers(acme.ana, direct(acme, acme.ana)))[-1]
    near.clear()
    press(acme, acme.ana, told, TAKE)
    assert soon(lambda: acme.ledger.handoffs.list()[0].state == "taken")
    view = window(acme, acme.ana, told, RESOLVE)
    assert acme.slack.deliveries.submit(acme.ana.id, view, {"words": {"words": {"value": "It is mended."}}})
    assert soon(lambda: "It is mended." in acme.shown(acme.ben, direct(acme, acme.ben)))
    press(acme, acme.boss, told, TAKE)                      # who is an owner only now was not asked
    assert acme.ledger.handoffs.list()[0].taken_by == "user:ana@acme.test"
