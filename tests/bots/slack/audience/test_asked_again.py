"""Who presses a button again is told what is so: an answer that is there is named, and what failed is asked anew."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.answers.layout import PRIVATELY, SHARE
from bots.slack.answers.sharing import NOT_THERE, SHARED
from bots.slack.bot import SHORTCUT
from bots.slack.hearing.asking import ANSWERED, ANSWERED_THERE, LOOKING
from bots.slack.simulator import Channel, Message, User
from vouch.access import Directory, Person

pytestmark = pytest.mark.integration
SAYS = "60 days"


@pytest.fixture
def both(acme: Company) -> Channel:
    return acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")


@contextmanager
def broken(acme: Company) -> Iterator[None]:
    real = acme.answerer

    class Broken:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def answer(self, _: object) -> None:
            raise ValueError("something odd")

    acme.answerer = Broken()  # type: ignore[assignment]
    try:
        yield
    finally:
        acme.answerer = real


def press(acme: Company, person: User, message: Message, action: str) -> str:
    """What is then told at once."""
    before = len(acme.slack.workspace.messages)
    [value] = {one["value"] for block in message.blocks if block["type"] == "actions" for one in block["elements"]
               if one["action_id"] == action}
    assert acme.slack.deliveries.press(person.id, message, {"type": "button", "action_id": action, "value": value})
    acme.bot.rest()  # type: ignore[union-attr]
    told = [one.text for one in acme.slack.workspace.messages[before:]]
    acme.answer_all()
    return "\n".join(told)


def in_direct(acme: Company, person: User) -> list[Message]:
    return [m for m in acme.answers(person, acme.slack.workspace.direct(person.id)) if m.metadata]


@EVERYWHERE
def test_a_private_answer_that_failed_is_asked_anew_and_one_that_is_there_is_not(acme: Company, both: Channel) -> None:
    acme.ask(acme.ben, both, at(PLAN))
    answer = next(m for m in acme.answers(acme.ben, both) if m.metadata)
    for _ in range(2):
        with broken(acme):
            assert press(acme, acme.ben, answer, PRIVATELY) == LOOKING
    assert ["something failed" in m.shown() for m in in_direct(acme, acme.ben)] == [True, True]
    assert press(acme, acme.ben, answer, PRIVATELY) == LOOKING
    assert press(acme, acme.ben, answer, PRIVATELY) == ANSWERED
    *_, last = in_direct(acme, acme.ben)
    assert len(in_direct(acme, acme.ben)) == 3 and SAYS in last.shown()
    assert SHARED in press(acme, acme.ben, last, SHARE)         # it is known where that was asked first
    assert len([m for m in acme.answers(acme.ana, both) if m.metadata]) == 2


def test_what_was_declined_to_all_may_be_shared_again_and_what_is_answered_may_not(
    acme: Company, both: Channel
) -> None:
    acme.slack.deliveries.join(acme.boss.id, both)
    acme.ask(acme.ben, both, at(PLAN))
    first = next(m for m in acme.answers(acme.ben, both) if m.metadata)
    for person in (acme.ben, acme.boss):
        press(acme, person, first, PRIVATELY)
    [private], [other] = in_direct(acme, acme.ben), in_direct(acme, acme.boss)
    with broken(acme):
        assert SHARED in press(acme, acme.ben, private, SHARE)
    assert SHARED in press(acme, acme.ben, private, SHARE)      # that one failed
    assert SAYS not in acme.shown(acme.boss, both)              # as one who reads there may not read it
    acme.slack.deliveries.leave(acme.ana.id, both)
    assert press(acme, acme.ben, private, SHARE) == ANSWERED_THERE      # once each, as all are told of it
    assert SHARED in press(acme, acme.boss, other, SHARE)
    assert SAYS in acme.shown(acme.boss, both)
    seen = len(acme.answers(acme.boss, both))
    for person, message in ((acme.ben, private), (acme.boss, other)):
        assert press(acme, person, message, SHARE) == ANSWERED_THERE
    assert len(acme.answers(acme.boss, both)) == seen


def test_why_a_share_is_refused_is_told_whatever_fails_once(acme: Company, both: Channel) -> None:
    acme.ask(acme.ben, both, at(PLAN))
    press(acme, acme.ben, next(m for m in acme.answers(acme.ben, both) if m.metadata), PRIVATELY)
    [private] = in_direct(acme, acme.ben)
    acme.slack.deliveries.leave(acme.ben.id, both)
    for method in ("chat.postMessage", "chat.postEphemeral"):
        acme.slack.fault(method, "500")
    press(acme, acme.ben, private, SHARE)
    for waiting in acme.ledger.notices.waiting():
        acme.ledger.notices.later(waiting, acme.now())
    acme.bot.rest()  # type: ignore[union-attr]
    assert NOT_THERE in acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))


def test_share_stands_under_what_can_be_shared_alone(acme: Company, both: Channel) -> None:
    acme.ask(acme.ben, both, at(LEAVE))
    press(acme, acme.ben, next(m for m in acme.answers(acme.ben, both) if m.metadata), PRIVATELY)
    assert SHARED in press(acme, acme.ben, in_direct(acme, acme.ben)[-1], SHARE)
    shared = [m for m in acme.answers(acme.ana, both) if m.metadata][-1]
    press(acme, acme.ana, shared, PRIVATELY)
    offered = [SHARE in json.dumps(in_direct(acme, person)[-1].blocks) for person in (acme.ben, acme.ana)]
    assert offered == [True, False]


def test_a_message_that_was_asked_about_in_vain_is_asked_about_anew(acme: Company, both: Channel) -> None:
    said = acme.slack.deliveries.say(acme.ana.id, both, LEAVE)
    with broken(acme):
        assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
        acme.answer_all()
    for told in (LOOKING, ANSWERED):
        assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
        acme.answer_all()
        acme.bot.rest()  # type: ignore[union-attr]
        assert acme.answers(acme.ben, both)[-1].text == told
    assert ["12 weeks" in m.shown() for m in in_direct(acme, acme.ben)] == [False, True]


def test_words_that_an_edit_brought_are_asked_about(acme: Company, both: Channel) -> None:
    said = acme.slack.deliveries.say(acme.ana.id, both, LEAVE)
    for text in (LEAVE, PLAN):
        if text != LEAVE:
            acme.slack.deliveries.edit(said, text)
            time.sleep(1.1)             # a moment of an edit may be a whole second
        assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
        acme.answer_all()
    assert [SAYS in m.shown() for m in in_direct(acme, acme.ben)] == [False, True]


@pytest.mark.parametrize("way", ["privately", "about"])
def test_what_was_declined_to_one_alone_is_asked_anew_once_more_may_be_read(
    acme: Company, both: Channel, way: str
) -> None:
    said = acme.ask(acme.ben, both, at(PLAN))
    answer = next(m for m in acme.answers(acme.ana, both) if m.metadata)
    for groups in ((), ("people",)):
        acme.access.directory = Directory(people={
            "ana@acme.test": Person(groups), "ben@acme.test": Person(("people",))})
        if way == "privately":
            assert press(acme, acme.ana, answer, PRIVATELY) == LOOKING
        else:
            assert acme.slack.deliveries.shortcut(acme.ana.id, said, SHORTCUT)
            acme.answer_all()
    assert [SAYS in m.shown() for m in in_direct(acme, acme.ana)] == [False, True]


def test_several_people_who_share_an_answer_put_it_there_once(acme: Company, both: Channel) -> None:
    acme.slack.deliveries.join(acme.boss.id, both)
    acme.ask(acme.ana, both, at(LEAVE))
    answer, told = next(m for m in acme.answers(acme.ben, both) if m.metadata), []
    for person in (acme.ben, acme.boss):
        press(acme, person, answer, PRIVATELY)
        told.append(press(acme, person, in_direct(acme, person)[-1], SHARE))
    assert SHARED in told[0] and told[1] == ANSWERED_THERE
    assert len([m for m in acme.answers(acme.ana, both) if m.metadata]) == 2
