"""Slack fails, or a process dies, at every step of a streamed answer: in the end one answer is seen, and no more."""

import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import PLAN, Company, at, company
from slack_scene.slack_slow import called, held, only_answer, settled, streamed, until

from bots.slack.answers.afterwards import SlackAfterwards
from bots.slack.place import SLACK
from bots.slack.progress.finishing import ShownStages
from bots.slack.simulator.workspace import Channel, Message
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.wiring.surfaces import build_slack
from vouch.adapters.ledger import ChangedQuestion, Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import LogDown

pytestmark = pytest.mark.integration
FAULTS = [("500", 0.0), ("done500", 0.0), ("lost", 0.0), ("reset", 0.0), ("429", 1.0), ("slow", 1.5)]
LEASE_S = 0.4


class Died(BaseException):
    """The process is gone: nothing of it goes on."""


class Dying:
    """An api of a process that dies right before, or right after, its first call of a method."""

    def __init__(self, real: Any, method: str, *, after: bool) -> None:
        self._real, self._method, self._after = real, method, after
        self.dead = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def call(self, method: str, **given: Any) -> Mapping[str, Any]:
        if self.dead or (method == self._method and not self._after):
            self.dead = True
            raise Died
        told: Mapping[str, Any] = self._real.call(method, **given)
        if method == self._method:
            self.dead = True
            raise Died
        return told

    def pages(self, method: str, rows: str, **given: Any) -> Iterator[Any]:
        yield from self.call(method, **given)[rows]


@pytest.fixture
def acme(ledger: Ledger, memory_folder: Path) -> Iterator[Company]:
    with company(ledger, memory_folder, "http") as made:
        yield made


@pytest.fixture
def people(acme: Company) -> Channel:
    return acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")


def sender(acme: Company, *, dies_at: str = "", after: bool = False) -> ReplySender:
    parts = build_slack(acme.settings)
    assert parts is not None and isinstance(parts.surface._stages, ShownStages)
    if dies_at:
        api: Any = Dying(parts.api, dies_at, after=after)
        parts.surface._api = parts.surface._stages._api = api
    return ReplySender(
        acme.ledger, acme.answerer.still_visible, acme.answerer.answer, acme.answerer.decline,
        {SLACK: parts.surface}, acme.log.producer(), acme.now, backoff=Backoff(0.01, 0.02),
        afterwards={SLACK: SlackAfterwards()}, lease=timedelta(seconds=LEASE_S),
    )  # fmt: skip


def send_all(acme: Company, sender: ReplySender) -> None:
    end = time.monotonic() + 20
    while set(acme.ledger.outbox.counts()) != {"sent"}:
        assert time.monotonic() < end
        if not acme.attempt(sender.step):
            time.sleep(0.02)


def answered(acme: Company, people: Channel) -> Message:
    answer = only_answer(acme, acme.ben, people)
    assert "60 days" in answer.shown() and acme.ledger.outbox.counts() == {"sent": 1}
    return answer


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "assistant.threads.setStatus"])
def test_an_answer_comes_once_whatever_becomes_of_its_stages(
    acme: Company, people: Channel, method: str, fault: tuple[str, float]
) -> None:
    acme.hasten(fault)
    acme.slack.fault(method, *fault)
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme) as gate:
        assert gate.reached.wait(10)
        if method == "chat.appendStream":
            keep_alive(acme)
        until(lambda: not acme.slack.faults[method])
        time.sleep(0.3)
    answered(acme, people)


def keep_alive(acme: Company) -> None:
    """Nothing is new in the stream, so it is made to say that it lives."""
    assert acme.bot is not None
    [one] = until(lambda: [w for w in acme.bot.progress._watched.values() if w.ts])  # type: ignore[union-attr]
    one.touched = -1e9


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("method", ["chat.stopStream", "chat.update", "conversations.replies", "chat.delete"])
def test_an_answer_comes_once_whatever_becomes_of_the_end_of_its_stream(
    acme: Company, people: Channel, method: str, fault: tuple[str, float]
) -> None:
    acme.hasten(fault)
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme):
        [shown] = until(lambda: streamed(acme))
        if method in ("chat.update", "chat.delete"):
            assert shown.stream is not None
            shown.stream.open = False
        if method == "chat.delete":                 # it cannot become the answer, and has to go
            acme.slack.fault("chat.update", "429", 30.0)
        acme.slack.fault(method, *fault)
    assert not acme.slack.faults[method]
    answered(acme, people)


STEPS = ["chat.startStream", "chat.appendStream"]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("method", STEPS)
def test_a_bot_that_dies_at_any_step_leaves_one_answer(
    acme: Company, people: Channel, method: str, after: bool
) -> None:
    assert acme.bot is not None
    showing = acme.bot.progress._showing
    dying: Any = Dying(showing._api, method, after=after)
    showing._api = dying
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme) as gate:
        assert gate.reached.wait(10)
        if method == "chat.appendStream":
            keep_alive(acme)
        until(lambda: dying.dead)
        acme.bot.progress.close()
    [answer] = acme.answers(acme.ben, people)
    assert answer.metadata is not None and "60 days" in answer.shown()
    assert answer.stream is None or not answer.stream.open
    assert acme.ledger.outbox.counts() == {"sent": 1}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("method", ["conversations.replies", "chat.stopStream", "chat.update", "chat.postMessage"])
def test_a_sender_that_dies_at_any_step_leaves_one_answer(
    acme: Company, people: Channel, method: str, after: bool
) -> None:
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme, rounds=0):
        [shown] = until(lambda: streamed(acme))
    assert shown.stream is not None
    if method == "chat.update":
        shown.stream.open = False
    if method == "chat.postMessage":
        acme.slack.workspace.messages.remove(shown)
    first = sender(acme, dies_at=method, after=after)
    with pytest.raises(Died):
        while True:
            first.step()
    visible = [m for m in acme.answers(acme.ben, people) if "60 days" in m.shown()]
    assert len(visible) == int(after and method != "conversations.replies")
    time.sleep(LEASE_S + 0.1)
    send_all(acme, sender(acme))
    answer = answered(acme, people)
    assert answer is shown or method == "chat.postMessage"


def test_a_sender_that_does_not_look_for_stages_would_be_seen(acme: Company, people: Channel) -> None:
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    acme.parts.surface._stages = None  # type: ignore[union-attr]
    with held(acme):
        until(lambda: streamed(acme))
        assert acme.bot is not None
        acme.bot.progress.close()
    assert len(acme.answers(acme.ben, people)) == 2


def test_words_that_come_before_the_last_call_would_be_seen(acme: Company, people: Channel) -> None:
    """The planted bug: the answer is streamed first and ended then, and the sender dies in between."""
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme, rounds=0):
        [shown] = until(lambda: streamed(acme))
    real = ShownStages.finish

    def early(stages: ShownStages, place: Any, posted: Any, answer: Any, fresh: Any, *, well: bool) -> bool:
        stages._api.call("chat.appendStream", channel=place.channel, ts=posted["ts"],
                         markdown_text=answer["blocks"][0]["text"])
        return real(stages, place, posted, answer, fresh, well=well)

    first = sender(acme, dies_at="chat.stopStream")
    stages = first._surfaces[SLACK]._stages  # type: ignore[attr-defined]
    stages.finish = lambda *given, **rest: early(stages, *given, **rest)
    with pytest.raises(Died):
        while True:
            first.step()
    assert "60 days" in shown.shown() and shown.metadata is None


def test_a_rate_limit_of_streams_is_obeyed_and_answers_come_without_them(acme: Company, people: Channel) -> None:
    acme.slack.fault("chat.startStream", "429", 30.0)
    for _ in range(3):
        acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
        with held(acme):
            until(lambda: not acme.slack.faults["chat.startStream"])
            time.sleep(0.5)
    settled(acme)
    assert called(acme, "chat.startStream") == []       # the one that was refused is none of them
    assert len(acme.answers(acme.ben, people)) == 3 and len(called(acme, "chat.postMessage")) == 3


def test_the_same_message_heard_twice_and_by_two_bots_has_one_answer(acme: Company, people: Channel) -> None:
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme):
        until(lambda: streamed(acme))
        first = acme.bot
        acme.start()                                    # a second bot, which Slack tells the same again
        try:
            for delivered in list(acme.slack.deliveries.log):
                assert acme.slack.deliveries.anew(delivered.event).acked
            time.sleep(0.5)
        finally:
            acme.bot, second = first, acme.bot
    assert second is not None
    until(lambda: not second.progress._watched)
    answered(acme, people)
    second.close()


def test_stages_that_come_after_the_answer_go_away_again(acme: Company, people: Channel) -> None:
    assert acme.bot is not None
    showing = acme.bot.progress._showing
    real: Any = showing._api

    class Slow:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def call(self, method: str, **given: Any) -> Mapping[str, Any]:
            if method == "chat.startStream":
                until(lambda: called(acme, "chat.postMessage"))
            told: Mapping[str, Any] = real.call(method, **given)
            return told

    showing._api = Slow()  # type: ignore[assignment]
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme):
        until(lambda: any(one.tried for one in acme.bot.progress._watched.values()))
    answered(acme, people)
    assert len(called(acme, "chat.startStream")) == len(called(acme, "chat.delete")) == 1


def test_a_question_that_nobody_answers_in_time_is_told_to_its_asker(ledger: Ledger, memory_folder: Path) -> None:
    with company(ledger, memory_folder, "http") as acme:
        people = acme.slack.workspace.channel("C1", "people", [acme.ben.id, acme.ana.id], "private")
        assert acme.bot is not None
        acme.bot.progress._patience = 0.5
        asked = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
        settled(acme)
        [told] = acme.answers(acme.ben, people)
        assert "takes longer" in told.shown() and asked.ts in told.shown() and told.only_for == acme.ben.id
        assert acme.answers(acme.ana, people) == []
        acme.answer_all()
        assert "performance" not in told.shown() and len(acme.answers(acme.ana, people)) == 1


@pytest.mark.parametrize("seen", [False, True], ids=["before a worker", "after one"])
def test_a_question_that_another_bot_heard_taken_back_is_not_told_to_be_late(
    ledger: Ledger, memory_folder: Path, seen: bool
) -> None:
    with company(ledger, memory_folder, "http") as acme:
        people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
        assert acme.bot is not None
        acme.bot.progress._patience = 1.5
        asked = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
        ledger.changed.put(
            ChangedQuestion(f"slack:T0ACME:C1:{asked.ts}", None, datetime.now(UTC)), datetime.now(UTC))
        if seen:
            acme.answer_all()
        settled(acme)
        assert acme.answers(acme.ben, people) == []


def test_a_stream_that_takes_too_long_says_so_and_becomes_the_answer_later(acme: Company, people: Channel) -> None:
    assert acme.bot is not None
    acme.bot.progress._patience = 1.2
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme):
        [shown] = until(lambda: streamed(acme))
        settled(acme)
        assert "takes longer" in shown.shown() and shown.stream is not None and not shown.stream.open
    assert answered(acme, people) is shown and "takes longer" not in shown.shown()


def test_where_slack_does_not_tell_the_cards_the_answer_is_posted_and_the_stages_go(
    acme: Company, people: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots.slack.simulator.workspace.Stream.blocks", lambda stream: [])
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme):
        [shown] = until(lambda: streamed(acme))
    assert answered(acme, people) is not shown


def test_a_bot_that_hears_nothing_of_the_log_asks_slack_for_the_answer(
    ledger: Ledger, memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the topic was not made yet."""
    def away(log: EmbeddedLog, topics: object) -> Any:
        raise LogDown("a topic is missing")

    monkeypatch.setattr("bots.slack.progress.watch._PAUSE_S", 0.1)
    monkeypatch.setattr(EmbeddedLog, "follow", away)
    with company(ledger, memory_folder, "http") as acme:
        people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
        acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
        until(lambda: acme.slack.workspace.status)
        acme.answer_all()
        answered(acme, people)
        assert acme.slack.workspace.status == {}
