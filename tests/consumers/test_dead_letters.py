"""What lies on dead topics is shown once, sent again without a second answer, or gone."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from consumers.questions.handler import QuestionHandler
from consumers.resilience.backoff import Backoff
from consumers.worker.dead_letters import DeadLetters, send_to_dead_letter
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import BadMessage, NotFound
from vouch.messages import QuestionAsked, decode
from vouch.ports.log import Record

Asked = Callable[..., QuestionAsked]


@pytest.fixture
def letters(log: EmbeddedLog, ledger: Ledger) -> DeadLetters:
    return DeadLetters(log, log.producer(), ledger.answers.answered)


@pytest.fixture
def work(log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, fast: Backoff) -> Callable[[], None]:
    def worked() -> None:
        handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
        handlers = {"questions": handler}
        Worker(log, "g", handlers, ledger.attempts, clock, threading.Event(), backoff=fast).run(drain=True)

    return worked


def test_each_is_told_once_with_where_it_came_from_and_why(log: EmbeddedLog, letters: DeadLetters, clock: Any) -> None:
    producer = log.producer()
    records = [Record("questions", 3, n, b"k", b"words", (("trace", b"7"),), 0) for n in (5, 6, 5)]
    for record in records:
        send_to_dead_letter(producer, record, BadMessage("no words of it"), 2, clock(), clock())
    first, second = letters.lying()
    assert first.letter and second.letter
    assert (first.letter.partition, first.letter.offset, second.letter.offset) == (3, 5, 6)
    assert (first.letter.error, first.letter.attempts, len(first.copies)) == ("BadMessage", 2, 1)
    letters.drop([first])
    assert [one.name for one in letters.lying()] == [second.name]
    with pytest.raises(NotFound):
        letters.named([first.name])
    with pytest.raises(NotFound):
        letters.lying("nothing")


def test_what_is_no_message_goes_back_as_it_was(
    log: EmbeddedLog, letters: DeadLetters, work: Callable[[], None]
) -> None:
    log.producer().send("questions", b"k", b"\xffnot json", [("trace", b"7")])
    work()
    [dead] = letters.lying("questions")
    done = letters.replay(dead)
    assert done.asked_anew is None and letters.lying() == []
    again = list(log.read("questions"))[-1]
    assert (again.key, again.value, again.headers) == (b"k", b"\xffnot json", (("trace", b"7"),))
    work()
    assert len(letters.lying()) == 1


def test_a_question_whose_asker_was_told_is_asked_anew_and_answered_once(
    log: EmbeddedLog, ledger: Ledger, letters: DeadLetters, work: Callable[[], None], loop: Any, question: Asked,
    send: Any, monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(question("q1"))
    loop.fails = [ValueError("a fault")] * 5
    work()
    told = ledger.answers.by_question("q1")
    assert told and told["reason"]
    [dead] = letters.lying()
    with monkeypatch.context() as patch:
        patch.setattr(letters, "drop", lambda messages: None)      # the command dies before it
        letters.replay(dead)
    work()
    done = letters.replay(dead)
    work()
    assert done.asked_anew and done.asked_anew.startswith("q1.again-")
    answer = ledger.answers.by_question(done.asked_anew)
    assert answer and answer["answer"] == "so" and loop.made == 2   # the decline, and one answer
    assert ledger.answers.by_question("q1") == told and letters.lying() == []


def test_what_is_too_large_for_the_log_is_buried_cut(log: EmbeddedLog, clock: Any) -> None:
    class Small:
        """A log that takes no more than so much."""

        def __init__(self) -> None:
            self.sent: list[Any] = []

        def send(self, topic: str, key: bytes, value: bytes, headers: Any = ()) -> tuple[int, int]:
            if len(value) > 100_000:
                raise BadMessage("too large")
            self.sent.append((topic, key, value, dict(headers)))
            return 0, 0

        def close(self) -> None: ...

    small = Small()
    record = Record("questions", 0, 0, b"k", b"x" * 5_000_000, (), 0)
    send_to_dead_letter(small, record, BadMessage("5000000 bytes"), 1, clock(), clock())
    [(topic, key, value, headers)] = small.sent
    assert (topic, key, len(value), headers["vouch-dead-bytes"]) == ("questions.dead", b"k", 10_000, b"5000000")
    with pytest.raises(BadMessage):
        decode(topic, value)
