"""Several messages are in hand at once: none waits for one that hangs, equal keys keep their order."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from machines.notebook import Notebook, dead

from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import ModelDown, VouchError
from vouch.messages import QuestionAsked, encode

pytestmark = pytest.mark.integration

Asked = Callable[..., QuestionAsked]


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
    with pytest.raises(VouchError, match="work that does not end"):
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
