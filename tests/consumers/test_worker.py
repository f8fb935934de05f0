"""Messages are handled in order and once they are done; a bad one is set aside, an outage is waited out."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from consumers.backoff import Backoff
from consumers.worker import Worker, stop_on_signals
from vouch.adapters.ledger import Ledger
from vouch.adapters.log_consumer import EmbeddedConsumer
from vouch.adapters.log_embedded import EmbeddedLog
from vouch.errors import BadInput, Busy, LogDown, ModelDown, VouchError
from vouch.messages import DeadLetter, QuestionAsked, encode

Asked = Callable[..., QuestionAsked]


class Notebook:
    """A handler that fails as it is told and notes what it was given."""

    def __init__(self, *fails: Exception) -> None:
        self.fails = list(fails)
        self.calls: list[str] = []
        self.done: list[str] = []
        self.given_up: list[str] = []

    def handle(self, message: QuestionAsked) -> None:
        self.calls.append(message.id)
        if self.fails:
            raise self.fails.pop(0)
        self.done.append(message.id)

    def give_up(self, message: QuestionAsked) -> None:
        self.given_up.append(message.id)


@pytest.fixture(autouse=True)
def no_thread_outlives_its_folder(memory_folder: Path) -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("questions/"):
            thread.join(10)


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def worker(
    log: EmbeddedLog, ledger: Ledger, stop: threading.Event, clock: Any, fast: Backoff
) -> Callable[[Any], Worker]:
    return lambda handler: Worker(log, "g", {"questions": handler}, ledger.attempts, clock, stop, backoff=fast)


def dead(log: EmbeddedLog) -> list[tuple[bytes, bytes, DeadLetter]]:
    return [(r.key, r.value, DeadLetter.read(r.headers)) for r in log.read("questions.dead")]


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
    for _ in range(7):
        ledger.attempts.begin("g", record, clock())
    book = Notebook()
    worker(book).run(drain=True)
    assert book.calls == [] and book.given_up == ["killer"]
    [(_, _, letter)] = dead(log)
    assert letter.attempts == 7 and "process ended" in letter.reason


def test_what_was_in_hand_when_processes_ended_is_handled_with_nothing_beside_it(
    log: EmbeddedLog, ledger: Ledger, worker: Callable[[Any], Worker], question: Asked, send: Any, clock: Any
) -> None:
    for i in range(12):
        send(question(f"q{i}"))
    for record in log.read("questions"):
        if record.key in (b"q3", b"q7"):
            for _ in range(2):
                ledger.attempts.begin("g", record, clock())
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


def test_several_are_in_hand_at_once_and_no_more_than_may_be(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, clock: Any, stop: threading.Event
) -> None:
    for i in range(30):
        send(question(f"q{i}"))
    guard, now, most = threading.Lock(), [0], [0]

    class Crowd(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            with guard:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(0.05)
            with guard:
                now[0] -= 1

    Worker(log, "g", {"questions": Crowd()}, ledger.attempts, clock, stop, hold=4).run(drain=True)
    assert most == [4] and log.lag("g", "questions") == 0


def test_one_that_hangs_stops_no_other_and_is_given_up_in_the_end(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, clock: Any, stop: threading.Event
) -> None:
    for i in range(12):
        send(question(f"q{i}"))
    free, seen = threading.Event(), []

    class Hangs(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            if message.id == "q0":
                seen.append(len(self.done))
                free.wait(30)
            super().handle(message)

        def give_up(self, message: QuestionAsked) -> None:
            seen.append(len(self.done))
            super().give_up(message)

    book = Hangs()
    Worker(log, "g", {"questions": book}, ledger.attempts, clock, stop, hold=4, patience_s=1.0).run(drain=True)
    assert book.given_up == ["q0"] and seen[1] == 11 and log.lag("g", "questions") == 0
    [(_, _, letter)] = dead(log)
    assert letter.error == "TimeoutError"
    free.set()


def test_a_worker_whose_places_all_hang_ends_instead_of_waiting(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, clock: Any, stop: threading.Event
) -> None:
    for i in range(3):
        send(question(f"q{i}"))
    free = threading.Event()

    class Hangs(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            free.wait(30)

    worker = Worker(log, "g", {"questions": Hangs()}, ledger.attempts, clock, stop, hold=2, patience_s=0.2, grace_s=0.1)
    with pytest.raises(VouchError, match="hangs"):
        worker.run()
    free.set()


def test_waiting_for_a_machine_is_no_hanging(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, clock: Any, stop: threading.Event
) -> None:
    send(question())
    book = Notebook(*[ModelDown("down")] * 4)
    backoff = Backoff(0.4, 0.4)
    Worker(
        log, "g", {"questions": book}, ledger.attempts, clock, stop, backoff=backoff, patience_s=0.15
    ).run(drain=True)
    assert book.done == ["q1"] and book.given_up == [] and dead(log) == []


def test_equal_keys_are_handled_one_after_the_other(
    log: EmbeddedLog, ledger: Ledger, question: Asked, clock: Any, stop: threading.Event
) -> None:
    producer = log.producer()
    for n in range(12):
        producer.send("questions", b"k%d" % (n % 3), encode(question(f"q{n}")))
    at_work: list[str] = []
    clashes: list[str] = []

    class Ordered(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            key = int(message.id[1:]) % 3
            clashes.extend(one for one in at_work if int(one[1:]) % 3 == key)
            at_work.append(message.id)
            time.sleep(0.01)
            at_work.remove(message.id)
            super().handle(message)

    book = Ordered()
    Worker(log, "g", {"questions": book}, ledger.attempts, clock, stop).run(drain=True)
    assert clashes == [] and len(book.done) == 12
    for key in range(3):
        mine = [int(one[1:]) for one in book.done if int(one[1:]) % 3 == key]
        assert mine == sorted(mine)


def test_a_newcomer_gets_its_share_while_the_first_has_its_hands_full(
    log: EmbeddedLog, ledger: Ledger, question: Asked, send: Any, clock: Any
) -> None:
    for i in range(400):
        send(question(f"q{i}"))
    stops = [threading.Event(), threading.Event()]

    class Steady(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            time.sleep(0.02)
            super().handle(message)

    books = [Steady(), Steady()]
    workers = [
        Worker(log, "g", {"questions": book}, ledger.attempts, clock, stop)
        for book, stop in zip(books, stops, strict=True)
    ]
    threads = [threading.Thread(target=worker.run, kwargs={"drain": True}) for worker in workers]
    threads[0].start()
    while len(books[0].done) < 40:
        time.sleep(0.005)
    threads[1].start()
    for thread in threads:
        thread.join(60)
    assert sorted(books[0].done + books[1].done) == sorted(f"q{i}" for i in range(400))
    assert len(books[1].done) > 60


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
