"""What may have ended processes before is handled with nothing beside it: what it ends, it ends alone."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from machines.notebook import Notebook

from consumers.worker.message_processor import SUSPECT
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import QuestionAsked

NAMES = ("q0", "q1", "q2")


class Neighbors(Notebook):
    """Each message waits for another to be at work beside `one`; `met` are those that were."""

    def __init__(self, one: str, wait_s: float) -> None:
        super().__init__()
        self.one, self.wait_s = one, wait_s
        self.met: set[str] = set()
        self._at_work: set[str] = set()
        self._moved = threading.Condition()

    def handle(self, message: QuestionAsked) -> None:
        with self._moved:
            self._at_work.add(message.id)
            if self.one in self._at_work:
                self.met |= self._at_work - {self.one}
                self._moved.notify_all()
            self._moved.wait_for(lambda: self.met, self.wait_s)
            self._at_work.remove(message.id)
            super().handle(message)


@pytest.mark.parametrize(("begun", "wait_s"), [(SUSPECT, 0.02), (SUSPECT - 1, 10)], ids=["suspect", "other"])
@pytest.mark.parametrize("one", NAMES)
def test_a_suspect_neither_joins_others_nor_is_joined(
    log: EmbeddedLog, ledger: Ledger, worker: Callable[[Any], Worker], question: Any, send: Any, clock: Any,
    one: str, begun: int, wait_s: float,
) -> None:  # fmt: skip
    for name in NAMES:
        send(question(name))
    [record] = [r for r in log.read("questions") if f'"{one}"'.encode() in r.value]
    ledger.attempts.put("g", record, begun, clock())
    book = Neighbors(one, wait_s)
    worker(book).run(drain=True)
    assert sorted(book.done) == list(NAMES) and bool(book.met) == (begun < SUSPECT)


def test_a_suspect_is_tried_as_often_as_others_and_twice_more_for_what_its_neighbors_may_have_done(
    log: EmbeddedLog, ledger: Ledger, worker: Callable[[Any], Worker], question: Any, send: Any, clock: Any
) -> None:
    for name, begun in (("q0", 4 + SUSPECT), ("q1", 5 + SUSPECT)):
        send(question(name))
        [record] = [r for r in log.read("questions") if f'"{name}"'.encode() in r.value]
        ledger.attempts.put("g", record, begun, clock())
    book = Notebook()
    worker(book).run(drain=True)
    assert (book.done, book.given_up) == (["q0"], ["q1"])
    assert [ledger.attempts.begun("g", record) for record in log.read("questions")] == [0, 0]


def test_one_that_hangs_keeps_its_place_and_no_longer_keeps_others_away(
    log: EmbeddedLog, ledger: Ledger, question: Any, send: Any, clock: Any, stop: threading.Event
) -> None:
    """Of the two places there are, one is left."""
    send(question("q0"))
    [record] = log.read("questions")
    ledger.attempts.put("g", record, SUSPECT, clock())
    free, late = threading.Event(), threading.Timer(10, stop.set)

    class Hanging(Neighbors):
        def handle(self, message: QuestionAsked) -> None:
            if message.id == "q0":
                free.wait(30)
            else:
                super().handle(message)

        def give_up(self, message: QuestionAsked) -> None:
            super().give_up(message)
            one._patience = 60          # a slow machine is no message that hangs
            send(question("q1"))
            send(question("q2"))

    book = Hanging("q1", 0.02)
    one = Worker(log, "g", {"questions": book}, ledger.attempts, clock, stop, hold=2, patience_s=0.05)
    late.start()
    one.run(drain=True)
    late.cancel()
    free.set()
    assert (sorted(book.done), book.given_up, book.met) == (["q1", "q2"], ["q0"], set())
