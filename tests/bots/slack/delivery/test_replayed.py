"""What was sent once and is signed: whoever sends it again within five minutes changes nothing."""

from contextlib import closing
from threading import Event, Thread

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at
from slack_scene.slack_places import SIGNED

from bots.slack.answers.layout import FEEDBACK
from bots.slack.simulator import Message
from consumers.wiring.slack.bot import build_slack_bot
from vouch.errors import LogDown

pytestmark = [pytest.mark.integration, pytest.mark.parametrize("place", SIGNED, indirect=True)]


def press(acme: Company, answer: Message, side: str) -> bool:
    buttons = next(one["elements"][0] for one in answer.blocks if one["type"] == "context_actions")
    return acme.slack.deliveries.press(acme.ana.id, answer, {
        "type": "feedback_buttons", "action_id": FEEDBACK, "value": buttons[side]["value"]})


def votes(acme: Company) -> list[tuple[str, str | None]]:
    acme.answer_all()
    return [(one.vote, one.category) for one in acme.ledger.feedback.list()]


def test_windows_and_presses_act_once_whichever_bot_gets_them_again(acme: Company) -> None:
    both, deliveries = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id]), acme.slack.deliveries
    acme.ask(acme.ana, both, at(LEAVE))
    [answer] = acme.answers(acme.ana, both)
    assert press(acme, answer, "negative_button")
    sent = [deliveries.app.last]
    for reason in ("wrong", "outdated"):
        assert deliveries.submit(acme.ana.id, acme.slack.workspace.views[-1], {
            "why": {"why": {"selected_option": {"value": reason}}}})
        sent.append(deliveries.app.last)
    views = len(acme.slack.workspace.views)
    for again in range(2):
        for body, headers in sent[:2]:
            assert deliveries.app.post(body, headers) == (200, "")
        assert votes(acme) == [("down", "outdated")] and len(acme.slack.workspace.views) == views
        if not again and acme.bot is not None:
            acme.bot.close()
            acme.start()                # as another bot would be, which has the same ledger


def test_a_command_is_obeyed_once(acme: Company) -> None:
    both, deliveries = acme.slack.workspace.channel("C1", "both", [acme.ana.id]), acme.slack.deliveries
    assert "direct message" in deliveries.command(acme.ana.id, both, "/vouch", LEAVE)
    first = deliveries.app.last
    assert deliveries.app.post(*first) == (200, "")
    acme.answer_all()
    assert sum(acme.ledger.outbox.counts().values()) == 1
    assert "direct message" in deliveries.command(acme.ana.id, both, "/vouch", PLAN)    # another one is


def test_what_failed_is_done_when_it_comes_again(acme: Company) -> None:
    both, deliveries = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id]), acme.slack.deliveries
    acme.ask(acme.ana, both, at(LEAVE))
    [answer] = acme.answers(acme.ana, both)
    assert acme.bot is not None
    producer, real = acme.bot.producer, acme.bot.producer.send

    def send(*given: object) -> object:
        raise LogDown("the log is away")

    object.__setattr__(producer, "send", send)
    assert not press(acme, answer, "positive_button")
    object.__setattr__(producer, "send", real)
    assert votes(acme) == [] and deliveries.app.post(*deliveries.app.last)[0] == 200
    assert votes(acme) == [("up", None)]


def test_of_two_copies_at_the_same_moment_one_acts_whichever_bots_get_them(acme: Company) -> None:
    both, app = acme.slack.workspace.channel("C1", "both", [acme.ana.id]), acme.slack.deliveries.app
    assert acme.bot is not None
    other, begun, go, acted = build_slack_bot(acme.settings), Event(), Event(), list[object]()
    with closing(other):
        other.begin()

        def send(*given: object) -> object:
            acted.append(given)
            begun.set()
            assert go.wait(10)
            return None

        for bot in (acme.bot, other):
            object.__setattr__(bot.producer, "send", send)
        first = Thread(target=lambda: acme.slack.deliveries.command(acme.ana.id, both, "/vouch", LEAVE))
        first.start()
        assert begun.wait(10)
        copies = [Thread(target=lambda: app.post(*app.last)) for _ in range(2)]
        for bot, copy in zip((acme.bot, other), copies, strict=True):
            app.request_url = bot.told.partition(", ")[2]
            copy.start()
            copy.join(1.0)
        alone = len(acted)
        go.set()
        for one in (first, *copies):
            one.join()
    assert alone == len(acted) == 1
