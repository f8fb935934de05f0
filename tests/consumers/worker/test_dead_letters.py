"""What lies on dead topics is shown once, sent again without a second answer, or gone."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from machines.notebook import Notebook, dead

from consumers.questions.handler import QuestionHandler
from consumers.resilience import Backoff
from consumers.worker.dead_letters import DeadLetters, send_to_dead_letter
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.consumer import EmbeddedConsumer
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import BadMessage, LedgerDown, NotFound
from vouch.messages import QuestionAsked, decode, encode
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
    [message] = letters.lying("questions")
    done = letters.replay(message)
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
    [message] = letters.lying()
    with monkeypatch.context() as patch:
        patch.setattr(letters, "drop", lambda messages: None)      # the command dies before it
        letters.replay(message)
    work()
    done = letters.replay(message)
    work()
    assert done.asked_anew and done.asked_anew.startswith("q1.again-")
    answer = ledger.answers.by_question(done.asked_anew)
    assert answer and answer["answer"] == "so" and loop.made == 2   # the decline, and one answer
    assert ledger.answers.by_question("q1") == told and letters.lying() == []


def test_a_question_asked_anew_has_time_and_one_that_nobody_was_told_of_is_the_same_again(
    log: EmbeddedLog, letters: DeadLetters, ledger: Ledger, loop: Any, clock: Any, question: Asked
) -> None:
    told, untold = (question(name, deadline=timedelta(seconds=5)) for name in ("q1", "q2"))
    QuestionHandler(loop.answer, loop.decline, ledger, clock).give_up(told)
    for number, one in enumerate((told, untold)):
        record = Record("questions", 0, number, b"k", encode(one), (), 0)
        send_to_dead_letter(log.producer(), record, ValueError("odd"), 5, clock(), clock())
    anew = [letters.replay(message).asked_anew for message in letters.lying()]
    asked = [decode("questions", record.value) for record in log.read("questions")]
    assert asked == [told.model_copy(update={"id": anew[0], "deadline": None}), untold] and anew[1] is None


def test_an_outage_behind_its_burial_buries_a_message_once(
    log: EmbeddedLog, ledger: Ledger, worker: Callable[[Any], Worker], question: Asked, send: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(question())
    outages, end = [LedgerDown("gone")] * 2, type(ledger.attempts).end

    def ended(*what: Any) -> None:
        if outages:
            raise outages.pop()
        end(*what)

    monkeypatch.setattr(type(ledger.attempts), "end", ended)
    worker(Notebook(BadMessage("of another kind"))).run(drain=True)
    assert len(dead(log)) == 1 and outages == [] and log.lag("g", "questions") == 0


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


@pytest.mark.parametrize("unfenced", [False, True])
def test_only_the_member_that_has_a_message_buries_it(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any, monkeypatch: pytest.MonkeyPatch,
    unfenced: bool,
) -> None:
    send(question())

    class Robbed(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            self.calls.append(message.id)
            if len(self.calls) == 5:
                log.replay("g", "questions")        # takes the partition away at the last attempt
            raise ValueError("never")

    if unfenced:
        monkeypatch.setattr(EmbeddedConsumer, "holds", lambda self, record: True)
    book = Robbed()
    one = worker(book)
    one._hold = 1                       # it does not read on, and so learns of the loss only when it is done
    one.run(drain=True)
    assert len(dead(log)) == (2 if unfenced else 1)
    assert len(book.calls) == (10 if unfenced else 6)
