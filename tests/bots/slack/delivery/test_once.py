"""An event of Slack is taken once, by its id, whoever tells it again and whatever it then says."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.simulator.deliveries import Delivered
from vouch.adapters.ledger.conversations.slack_events import SlackEvents
from vouch.errors import LedgerDown, LogDown

pytestmark = pytest.mark.integration


@contextmanager
def on_the_log(acme: Company) -> Iterator[list[object]]:
    """Keys of what the bot puts there."""
    assert acme.bot is not None
    producer, sent = acme.bot.producer, list[object]()
    real = producer.send

    def send(*given: object) -> object:
        sent.append(given[1])
        return real(*given)  # type: ignore[arg-type]

    object.__setattr__(producer, "send", send)
    try:
        yield sent
    finally:
        object.__setattr__(producer, "send", real)


def taken(acme: Company, delivered: Delivered) -> bool:
    return acme.ledger.slack_events.was_taken(delivered.event["event_id"])


@EVERYWHERE
def test_an_event_whose_id_was_taken_does_nothing_whatever_it_holds(acme: Company) -> None:
    people, deliveries = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private"), acme.slack.deliveries
    acme.ask(acme.ben, people, at(PLAN))
    [answer] = acme.answers(acme.ben, people)
    deliveries.react(acme.ben.id, answer, "+1")
    question, thumb = deliveries.log[0].event, deliveries.log[-1].event
    other = question | {"event": question["event"] | {"text": at(LEAVE), "ts": acme.slack.workspace.moment()}}
    down = question | {"event": thumb["event"] | {"reaction": "-1", "event_ts": acme.slack.workspace.moment()}}
    with on_the_log(acme) as sent:
        for body in (other, down, thumb, question):
            assert deliveries.repeat(body).acked
        assert sent == []
        assert deliveries.anew(other).acked and deliveries.anew(down).acked     # nothing but the id held them up
        assert len(sent) == 2
    acme.answer_all()
    assert len(acme.answers(acme.ben, people)) == 2


@EVERYWHERE
def test_a_bot_that_begins_again_knows_what_was_taken(acme: Company) -> None:
    people, deliveries = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private"), acme.slack.deliveries
    asked = deliveries.say(acme.ben.id, people, at(PLAN))       # and is not answered before the bot ends
    deliveries.say(acme.ben.id, people, "Thanks.", asked.ts)
    told = list(deliveries.log)
    assert acme.bot is not None and all(taken(acme, one) for one in told)
    acme.bot.close()
    acme.start()
    with on_the_log(acme) as sent:
        assert all(deliveries.repeat(one.event).acked for one in told) and sent == []
        assert all(deliveries.anew(one.event).acked for one in told)            # by another id it is the same message
        assert len(sent) == 2                                                   # of its two events
    acme.answer_all()
    assert [m.thread_ts for m in acme.answers(acme.ben, people)] == [asked.ts]


def test_an_event_was_not_taken_until_the_log_has_it(acme: Company) -> None:
    direct, deliveries = acme.slack.workspace.direct(acme.ben.id), acme.slack.deliveries
    deliveries.app.in_time, deliveries.retries = 0.5, ()
    assert acme.bot is not None
    real = acme.bot.producer.send

    def send(*given: object) -> object:
        raise LogDown("the log is away")

    object.__setattr__(acme.bot.producer, "send", send)
    deliveries.say(acme.ben.id, direct, PLAN)
    [failed] = deliveries.log
    assert not failed.acked and not taken(acme, failed)
    object.__setattr__(acme.bot.producer, "send", real)
    deliveries.app.in_time = 15.0
    assert deliveries.repeat(failed.event).acked and taken(acme, failed)
    acme.answer_all()
    assert len(acme.answers(acme.ben, direct)) == 1


def test_what_could_not_be_noted_as_taken_is_told_again_and_is_one_question(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct, deliveries = acme.slack.workspace.direct(acme.ben.id), acme.slack.deliveries
    deliveries.app.in_time, failures, real = 0.5, [1], SlackEvents.take

    def take(self: SlackEvents, *given: object) -> None:
        if failures:
            deliveries.app.in_time = 15.0
            failures.pop()
            raise LedgerDown("the ledger is away")
        real(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(SlackEvents, "take", take)
    with on_the_log(acme) as sent:
        deliveries.say(acme.ben.id, direct, PLAN)
        assert len(sent) == 2
    [told] = deliveries.log
    assert (told.acked, told.tries) == (True, 2) and taken(acme, told)
    acme.answer_all()
    assert len(acme.answers(acme.ben, direct)) == 1


def test_an_event_without_an_id_that_can_be_kept_is_known_by_its_moment(acme: Company) -> None:
    people, deliveries = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private"), acme.slack.deliveries
    acme.ask(acme.ben, people, at(PLAN))
    for named in ("", "Ev\0", "E" * 101, None):
        assert deliveries.repeat(deliveries.log[0].event | {"event_id": named}).acked
    acme.answer_all()
    assert len(acme.answers(acme.ben, people)) == 1
