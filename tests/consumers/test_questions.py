"""A question becomes one answer, whatever happens around it; one that cannot be answered is told so."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from consumers.backoff import Backoff
from consumers.questions import QuestionHandler
from consumers.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.log_embedded import EmbeddedLog
from vouch.errors import ModelDown
from vouch.messages import QuestionAsked

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
    assert found and "time" in found["reason"] and "q1" in found["reason"]


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
    assert found and "could not be answered" in found["reason"] and "q1" in found["reason"]
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

    QuestionHandler(lambda asked: Result(), loop.decline, ledger, clock).handle(question())
    assert ledger.answers.get("a1") == {"id": "a1", "answer": "so"}
    assert [row["chunk_id"] for row in ledger.answers.candidates("a1")] == ["c1"]


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
