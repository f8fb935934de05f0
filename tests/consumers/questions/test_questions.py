"""A question becomes one answer, whatever happens around it; one that cannot be answered is told so."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from homes.small_world import NOW, small_world
from pydantic import BaseModel

from consumers.questions.answerer import Answerer
from consumers.questions.handler import QuestionHandler
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.access import Directory, Permissions
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import Damaged, IndexDown, ModelDown, NotFound
from vouch.messages import HTTP, DeadLetter, QuestionAsked, TagsAudience

Asked = Callable[..., QuestionAsked]


@pytest.fixture
def handler(loop: Any, ledger: Ledger, clock: Any) -> QuestionHandler:
    return QuestionHandler(loop.answer, loop.decline, ledger, clock)


def test_an_answer_is_recorded_and_due_to_be_sent(
    handler: QuestionHandler, ledger: Ledger, question: Asked, loop: Any
) -> None:
    handler.handle(question())
    assert ledger.answers.by_question("q1") == {"id": "q1-1", "answer": "so"}
    assert ledger.outbox.counts() == {"pending": 1}


def test_a_repeated_question_costs_no_second_answer(
    handler: QuestionHandler, ledger: Ledger, question: Asked, loop: Any
) -> None:
    for _ in range(3):
        handler.handle(question())
        handler.give_up(question())
    assert loop.made == 4               # one answer, and three declines that the inbox refused
    assert ledger.answers.by_question("q1") == {"id": "q1-1", "answer": "so"}
    assert ledger.outbox.counts() == {"pending": 1}


def test_a_question_past_its_deadline_is_declined_with_the_reason(
    handler: QuestionHandler, ledger: Ledger, question: Asked, clock: Any
) -> None:
    asked = question(deadline=timedelta(seconds=10))
    clock.now += timedelta(seconds=10)
    handler.handle(asked)
    found = ledger.answers.by_question("q1")
    assert found and "time" in found["reason"] and "q1" not in found["reason"]


def test_a_question_before_its_deadline_is_answered(
    handler: QuestionHandler, ledger: Ledger, question: Asked, clock: Any
) -> None:
    asked = question(deadline=timedelta(seconds=10))
    clock.now += timedelta(seconds=9)
    handler.handle(asked)
    found = ledger.answers.by_question("q1")
    assert found and found["answer"] == "so"


def test_a_model_that_stays_down_ends_at_the_deadline_in_a_decline(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, loop: Any, clock: Any, fast: Backoff
) -> None:
    send(question(deadline=timedelta(seconds=5)))

    def answer(asked: QuestionAsked) -> Any:
        clock.now += timedelta(seconds=1)
        raise ModelDown("down")

    handler = QuestionHandler(answer, loop.decline, ledger, clock)
    Worker(log, "g", {"questions": handler}, ledger.attempts, clock, threading.Event(), backoff=fast).run(drain=True)
    found = ledger.answers.by_question("q1")
    assert found and "time" in found["reason"]


def test_a_question_that_cannot_be_handled_gets_an_honest_answer_that_tells_nothing_of_the_cause(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, loop: Any, clock: Any, fast: Backoff
) -> None:
    send(question())
    loop.fails = [ValueError("people/salaries.md has no page 7")] * 5
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
    Worker(log, "g", {"questions": handler}, ledger.attempts, clock, threading.Event(), backoff=fast).run(drain=True)
    found = ledger.answers.by_question("q1")
    assert found and "could not be answered" in found["reason"] and "q1" not in found["reason"]
    assert "salaries" not in found["reason"]
    assert len(list(log.read("questions.dead"))) == 1
    assert ledger.outbox.counts() == {"pending": 1}


def test_an_answer_may_be_a_model(ledger: Ledger, question: Asked, clock: Any, loop: Any) -> None:
    class Answer(BaseModel):
        id: str
        answer: str

    class Result:
        answer = Answer(id="a1", answer="so")
        candidates = ({"chunk_id": "c1", "cited": True, "evidence": {}, "schema": 1, "features": {}},)
        given = ("c1",)
        steps = ()

    QuestionHandler(lambda asked: Result(), loop.decline, ledger, clock).handle(question())
    assert ledger.answers.get("a1") == {"id": "a1", "answer": "so"}
    assert [row["chunk_id"] for row in ledger.answers.candidates("a1")] == ["c1"]


@pytest.mark.slow
def test_workers_side_by_side_give_each_of_many_repeated_questions_one_answer(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, loop: Any, clock: Any, fast: Backoff
) -> None:
    for i in range(60):
        send(question(f"q{i % 20}"))
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
    # Two groups: each question reaches both, so that the inbox alone keeps them from answering twice.
    workers = [
        Worker(log, group, {"questions": handler}, ledger.attempts, clock, threading.Event(), backoff=fast)
        for group in ("g", "g", "h")
    ]
    threads = [threading.Thread(target=worker.run, kwargs={"drain": True}) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.outbox.counts() == {"pending": 20}
    assert log.lag("g", "questions") == log.lag("h", "questions") == 0
    assert list(log.read("questions.dead")) == []


def test_a_question_past_its_deadline_is_told_to_ask_again(
    handler: QuestionHandler, ledger: Ledger, question: Asked, clock: Any, loop: Any
) -> None:
    asked = question(deadline=timedelta(seconds=10))
    clock.now += timedelta(hours=1)
    handler.handle(asked)
    found = ledger.answers.by_question("q1")
    assert found and found["reason"] == "This question was not answered in time. Please ask it again."
    assert loop.made == 1               # the decline alone: no work for an answer that comes too late


def test_of_a_persons_questions_so_many_a_minute_are_answered_and_the_others_told_how_long_to_wait(
    ledger: Ledger, question: Asked, clock: Any, loop: Any
) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock, per_minute=3)

    def ask(name: str, asker: str = "user:ana@acme.test", after_s: int = 0) -> str:
        asked_at = clock.now + timedelta(seconds=after_s)
        one = question(name).model_copy(update={"asker": asker, "asked_at": asked_at})
        clock.now += timedelta(hours=1)         # the worker is late: what counts is when they were asked
        handler.handle(one)
        handler.handle(one)
        clock.now -= timedelta(hours=1)
        return str((ledger.answers.by_question(name) or {}).get("reason", "answered"))

    assert [ask(f"q{n}", after_s=n) for n in range(3)] == ["answered"] * 3
    assert "in 50 seconds" in ask("q3", after_s=10) and "3 questions within a minute" in ask("q4", after_s=59)
    assert ask("q5", asker="user:bo@acme.test", after_s=10) == "answered"
    assert ask("q6", after_s=61) == "answered"          # those refused did not count
    assert ledger.outbox.counts() == {"pending": 7}


def test_strangers_of_the_service_are_not_counted_as_one_person(
    ledger: Ledger, question: Asked, clock: Any, loop: Any
) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock, per_minute=1)
    for number, surface in enumerate((HTTP, HTTP, "terminal", "terminal")):
        handler.handle(question(f"q{number}").model_copy(update={"asker": "public", "surface": surface}))
    reasons = [(ledger.answers.by_question(f"q{n}") or {}).get("reason", "") for n in range(4)]
    assert [bool(reason) for reason in reasons] == [False, False, False, True]


def test_a_question_that_dies_half_way_counts_once(ledger: Ledger, question: Asked, clock: Any, loop: Any) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock, per_minute=1)
    loop.fails = [ModelDown("down")] * 3
    for _ in range(3):
        with pytest.raises(ModelDown):
            handler.handle(question())
    handler.handle(question())
    assert ledger.answers.by_question("q1") == {"id": "q1-1", "answer": "so"}


def test_a_question_that_comes_from_the_future_counts_now(
    ledger: Ledger, question: Asked, clock: Any, loop: Any
) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock, per_minute=1)
    for number in range(3):
        later = clock.now + timedelta(days=number + 1)
        handler.handle(question(f"q{number}").model_copy(update={"asked_at": later}))
    reasons = [(ledger.answers.by_question(f"q{n}") or {}).get("reason", "") for n in range(3)]
    assert [bool(reason) for reason in reasons] == [False, True, True]


def test_a_question_from_a_surface_that_nobody_serves_is_dead_at_once_with_the_reason(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, loop: Any, clock: Any, fast: Backoff
) -> None:
    send(question("q1", surface="nowhere"))
    send(question("q2", surface="slack"))
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock, served=["terminal", "slack"])
    Worker(log, "g", {"questions": handler}, ledger.attempts, clock, threading.Event(), backoff=fast).run(drain=True)
    [dead] = log.read("questions.dead")
    letter = DeadLetter.read(dead.headers)
    assert (dead.key, letter.error, letter.attempts) == (b"q1", "BadMessage", 1)
    assert "nowhere" in letter.reason and "VOUCH_WORKER__SURFACES" in letter.reason
    assert loop.made == 1 and ledger.outbox.counts() == {"pending": 1}


@pytest.mark.parametrize("error", [Damaged("no version is sound"), NotFound("there is no index yet")])
def test_an_index_that_cannot_serve_is_an_outage_and_no_fault_of_a_question(error: Exception) -> None:
    class Broken:
        def view(self, *_: Any) -> Any:
            raise error

        visible = view

    class Everybody:
        def permissions(self) -> Permissions:
            return Permissions.settled(1, {}, Directory())

    world = small_world()
    components = replace(world.components, index=Broken())
    answerer = Answerer(Everybody(), Broken(), lambda: components, lambda: NOW)
    asked = QuestionAsked(
        id="q1", text="How much leave?", surface="s", asker="public", audience=TagsAudience(tags=("public",)),
        asked_at=NOW,
    )
    with pytest.raises(IndexDown):
        answerer.answer(asked)
    with pytest.raises(IndexDown):
        answerer.still_visible(asked.audience, ["c1"])
    assert answerer.decline(asked, "Why not.").answer == "Why not."
