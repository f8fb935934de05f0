"""Messages are handled in order and once they are done; a bad one is set aside, an outage is waited out."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from machines.notebook import Notebook, dead

from consumers.process import stop_on_signals
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import BadInput, BadMessage, Busy, LogDown, ModelDown
from vouch.messages import QuestionAsked

Asked = Callable[..., QuestionAsked]


def test_every_message_is_handled_once_and_committed(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any
) -> None:
    for i in range(20):
        send(question(f"q{i}"))
    book = Notebook()
    worker(book).run(drain=True)
    assert sorted(book.done) == sorted(f"q{i}" for i in range(20))
    assert log.lag("g", "questions") == 0
    worker(book).run(drain=True)
    assert len(book.calls) == 20


def test_bytes_that_are_no_message_go_to_the_dead_topic_untouched_with_the_reason(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any
) -> None:
    place = log.producer().send("questions", b"k", b"\xff nonsense", [("trace", b"7")])
    send(question())
    book = Notebook()
    worker(book).run(drain=True)
    [(key, value, letter)] = dead(log)
    assert (key, value) == (b"k", b"\xff nonsense")
    assert (letter.topic, letter.partition, letter.offset) == ("questions", *place)
    assert (letter.error, letter.attempts) == ("BadMessage", 1) and "JSON" in letter.reason
    assert next(iter(log.read("questions.dead"))).headers[0] == ("trace", b"7")
    assert book.done == ["q1"] and book.given_up == []
    assert log.lag("g", "questions") == 0


def test_of_what_a_handler_finds_to_be_no_message_nobody_is_told(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any
) -> None:
    send(question())
    book = Notebook(BadMessage("of another kind"))
    worker(book).run(drain=True)
    [(_, _, letter)] = dead(log)
    assert (letter.error, book.calls, book.given_up) == ("BadMessage", ["q1"], [])


def test_a_message_that_always_fails_is_tried_five_times_then_told_and_set_aside(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any, clock: Any
) -> None:
    send(question("bad"))
    book = Notebook(*[BadInput("cannot be stored")] * 9)
    worker(book).run(drain=True)
    [(_, _, letter)] = dead(log)
    assert book.calls == ["bad"] * 5 and book.given_up == ["bad"]
    assert (letter.attempts, letter.error, letter.reason) == (5, "BadInput", "cannot be stored")
    assert letter.first_at == letter.last_at == clock.now.isoformat()
    book.fails.clear()
    send(question("good"))
    worker(book).run(drain=True)
    assert book.done == ["good"]


def test_a_message_that_fails_at_first_is_not_set_aside(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any
) -> None:
    send(question())
    book = Notebook(ValueError("odd"), KeyError("odd"))
    worker(book).run(drain=True)
    assert book.calls == ["q1"] * 3 and book.done == ["q1"]
    assert dead(log) == []


def test_an_outage_is_waited_out_however_long_and_counts_as_no_attempt(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any
) -> None:
    send(question())
    outage: list[Exception] = [ModelDown("no model"), Busy("locked")] * 6
    book = Notebook(*outage[:6], ValueError("odd"), *outage, *[ValueError("odd")] * 3)
    worker(book).run(drain=True)
    assert book.done == ["q1"] and dead(log) == []
    book = Notebook(*[ValueError("odd")] * 5)
    send(question("q2"))
    worker(book).run(drain=True)
    assert len(dead(log)) == 1


def test_an_outage_of_the_log_itself_is_waited_out(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(question())
    real, failures = log.consumer, [LogDown("gone")] * 3

    def consumer(*arguments: Any) -> Any:
        if failures:
            raise failures.pop()
        return real(*arguments)

    monkeypatch.setattr(log, "consumer", consumer)
    book = Notebook()
    worker(book).run(drain=True)
    assert book.done == ["q1"]


def test_when_nobody_can_be_told_the_message_is_set_aside_all_the_same(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(question())
    book = Notebook(*[ValueError("odd")] * 5)

    def give_up(message: QuestionAsked) -> None:
        raise RuntimeError("even that")

    monkeypatch.setattr(book, "give_up", give_up)
    worker(book).run(drain=True)
    assert len(dead(log)) == 1 and log.lag("g", "questions") == 0


def test_an_outage_while_somebody_is_told_loses_neither_the_telling_nor_the_letter(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(question())
    book = Notebook(*[ValueError("odd")] * 99)
    real, outages = book.give_up, [ModelDown("down")] * 3

    def give_up(message: QuestionAsked) -> None:
        if outages:
            raise outages.pop()
        real(message)

    monkeypatch.setattr(book, "give_up", give_up)
    worker(book).run(drain=True)
    assert book.given_up == ["q1"]
    assert [letter.attempts for _, _, letter in dead(log)] == [5]
    assert len(book.calls) == 5


def test_a_stop_lets_the_work_in_hand_finish_and_commits_it(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any, stop: threading.Event
) -> None:
    for i in range(3):
        send(question(f"q{i}"))

    class Slow(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            stop.set()
            time.sleep(0.05)
            super().handle(message)

    book = Slow()
    worker(book).run()
    assert 1 <= len(book.done) <= 3                # as many as were begun
    assert log.lag("g", "questions") == 3 - len(book.done)


def test_a_stop_during_an_outage_leaves_the_message_to_the_next_worker(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any, stop: threading.Event
) -> None:
    send(question())

    class Down(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            stop.set()
            raise ModelDown("down")

    worker(Down()).run()
    assert log.lag("g", "questions") == 1 and dead(log) == []
    stop.clear()
    book = Notebook()
    worker(book).run(drain=True)
    assert book.done == ["q1"]


def test_work_that_another_member_took_over_does_no_harm(
    log: EmbeddedLog, worker: Callable[[Any], Worker], question: Asked, send: Any
) -> None:
    send(question())

    class Robbed(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            super().handle(message)
            if len(self.calls) == 1:
                log.replay("g", "questions")        # takes every lease away

    book = Robbed()
    worker(book).run(drain=True)
    # Handled again, or, if the partition was back before the work ended, the work was still worth its commit.
    assert book.calls in (["q1"], ["q1", "q1"])
    assert log.lag("g", "questions") == 0


def test_terminate_ends_the_worker_cleanly(
    log: EmbeddedLog, worker: Callable[[Any], Worker], stop: threading.Event
) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        stop_on_signals(stop)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
        worker(Notebook()).run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert stop.is_set()
    consumer = log.consumer("g", ["questions"])
    log.producer().send("questions", b"k", b"v")
    assert consumer.poll(0.5) is not None           # the leases were given back
    consumer.close()


def test_waits_grow_up_to_their_limit_and_differ() -> None:
    backoff = Backoff(0.2, 30)
    for failures, most in [(1, 0.2), (2, 0.4), (5, 3.2), (50, 30), (100_000, 30)]:
        waits = {backoff.seconds(failures) for _ in range(50)}
        assert all(most / 2 <= wait <= most for wait in waits)
        assert len(waits) > 10


def test_a_message_that_kills_the_process_is_set_aside_in_the_end(
    log: EmbeddedLog, ledger: Ledger, worker: Callable[[Any], Worker], question: Asked, send: Any, clock: Any
) -> None:
    """Each life begins an attempt and never ends it; that is what the ledger then shows."""
    partition, offset = send(question("killer"))
    record = next(r for r in log.read("questions") if (r.partition, r.offset) == (partition, offset))
    ledger.attempts.put("g", record, 7, clock())
    book = Notebook()
    worker(book).run(drain=True)
    assert book.calls == [] and book.given_up == ["killer"]
    [(_, _, letter)] = dead(log)
    assert (letter.attempts, letter.error) == (7, "ProcessEnded")
    assert "process ended 7 times" in letter.reason and "vouch dead replay" in letter.reason


def test_what_was_in_hand_when_processes_ended_is_handled_with_nothing_beside_it(
    log: EmbeddedLog, ledger: Ledger, worker: Callable[[Any], Worker], question: Asked, send: Any, clock: Any
) -> None:
    for i in range(12):
        send(question(f"q{i}"))
    for record in log.read("questions"):
        if record.key in (b"q3", b"q7"):
            ledger.attempts.put("g", record, 2, clock())
    at_work: set[str] = set()
    beside: dict[str, int] = {}

    class Crowd(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            at_work.add(message.id)
            time.sleep(0.05)
            beside[message.id] = len(at_work) - 1
            at_work.discard(message.id)

    worker(Crowd()).run(drain=True)
    assert len(beside) == 12 and beside["q3"] == beside["q7"] == 0
    assert max(beside.values()) > 0
