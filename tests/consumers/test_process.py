"""A process ends as a whole: when it is told to, when nothing is left, and when one of its parts fails."""

import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from consumers.monitoring.watches import RuleFailures, probe_rules
from consumers.process import Process
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.access import Directory, Permissions, RuleBook
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import BadInput, ModelDown, Unavailable, Usage
from vouch.messages import Message, QuestionAsked

pytestmark = pytest.mark.integration

Asked = Callable[..., QuestionAsked]


@dataclass
class Taker:
    """Takes until it is told to end, or fails at once."""

    stop: threading.Event
    error: Exception | None = None
    ended: bool = False

    def run(self, *, drain: bool = False) -> None:
        if self.error is not None:
            raise self.error
        while not drain and not self.stop.wait(0.01):
            pass
        self.ended = True


@dataclass
class Machine:
    closed: list[str] = field(default_factory=list)

    def close(self) -> None:
        self.closed.append("closed")


@pytest.fixture
def process(log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, fast: Backoff) -> Callable[..., Process]:
    stop = threading.Event()

    def made(*takers: Any, sends: bool = True) -> Process:
        sender = ReplySender(ledger, lambda *_: True, loop.answer, loop.decline, {"terminal": ledger.surface},
                             log.producer(), clock, backoff=fast)
        return Process(list(takers), sender if sends else None, lambda: None, stop, nullcontext, [Machine()])

    return made


def worker_of(log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, stop: threading.Event) -> Worker:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
    return Worker(log, "g", {"questions": handler}, ledger.attempts, clock, stop)


def test_a_drained_process_has_sent_what_it_answered(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, process: Callable[..., Process], question: Asked,
    send: Callable[[Message], object],
) -> None:
    for number in range(5):
        send(question(f"q{number}"))
    worker = worker_of(log, ledger, loop, clock, process().stop)
    process(worker).work(drain=True)
    assert ledger.outbox.counts() == {"sent": 5}


def test_a_worker_that_leaves_replies_sends_none_and_a_sender_of_its_own_sends_them(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, process: Callable[..., Process], question: Asked,
    send: Callable[[Message], object],
) -> None:
    send(question())
    process(worker_of(log, ledger, loop, clock, threading.Event()), sends=False).work(drain=True)
    assert "sent" not in ledger.outbox.counts() and log.lag("g", "questions") == 0
    sender = process()
    sender.stop.clear()
    sender.work(drain=True)
    assert ledger.outbox.counts() == {"sent": 1}


def test_what_ends_one_part_ends_the_others_and_is_raised(process: Callable[..., Process]) -> None:
    stop = process().stop
    lasting = Taker(stop)
    with pytest.raises(Usage, match="broken"):
        process(lasting, Taker(stop, Usage("broken"))).work()
    assert lasting.ended and stop.is_set()


@pytest.mark.parametrize("takers", [0, 1])
def test_it_runs_until_it_is_told_to_end_and_closes_its_machines(process: Callable[..., Process], takers: int) -> None:
    made = process()
    made = process(*[Taker(made.stop) for _ in range(takers)])
    began = time.monotonic()
    threading.Timer(0.3, made.stop.set).start()
    made.work()
    assert 0.3 <= time.monotonic() - began < 5
    made.close()
    assert made.components[0].closed == ["closed"]    # type: ignore[attr-defined]


def test_a_worker_is_ready_when_its_models_are(process: Callable[..., Process]) -> None:
    done: list[str] = []
    made = process(sends=False)
    made = replace(made, warm=lambda: done.append("warm"))
    made.stop.set()
    made.work(ready=lambda: done.append("ready"))
    assert done == ["warm", "ready"]
    made.work(drain=True, ready=lambda: done.append("drains"))
    assert done == ["warm", "ready", "drains"]


@pytest.mark.parametrize("error", [ModelDown("no model"), BadInput("weights of another encoder")])
def test_without_models_it_works_is_not_ready_and_tries_again(
    process: Callable[..., Process], error: Exception, fast: Backoff, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    told: list[str] = []
    made = process(sends=False)
    taker = Taker(made.stop)

    def warm() -> None:
        told.append(", ".join(wait.machine for wait in made.telemetry.waiting()))
        if len(told) < 3:
            raise error
        assert not taker.ended

    def ready() -> None:
        told.append("ready")
        made.stop.set()

    made = replace(made, takers=[taker], warm=warm, patience=fast)
    made.work(ready=ready)
    assert told == ["", "model", "model", "ready"] and made.telemetry.waiting() == []
    assert [str(error) in line for line in caplog.messages] == [True, True]


def test_a_process_that_is_never_ready_ends_when_it_is_told(process: Callable[..., Process]) -> None:
    def fail() -> None:
        raise ModelDown("no model")

    done: list[str] = []
    made = replace(process(sends=False), warm=fail)
    threading.Timer(0.1, made.stop.set).start()
    made.work(ready=lambda: done.append("ready"))
    assert done == []


def test_rules_that_cannot_be_read_are_logged_once_for_each_change(caplog: pytest.LogCaptureFixture) -> None:
    class Store:
        broken = ""

        def permissions(self) -> Permissions:
            return Permissions(1, {"docs": RuleBook(broken=self.broken)}, Directory())

    store = Store()
    failures = RuleFailures(store)
    told = []
    for broken in ("", "gone", "gone", "torn", "", ""):
        store.broken = broken
        caplog.clear()
        failures.look()
        told.append([(record.levelname, broken in record.getMessage()) for record in caplog.records])
    assert told == [[], [("ERROR", True)], [], [("ERROR", True)], [("WARNING", True)], []]
    store.broken = "gone"
    with pytest.raises(Unavailable, match="docs: gone"):
        probe_rules(store)


def test_a_process_looks_by_itself_at_once(process: Callable[..., Process]) -> None:
    looked = threading.Event()
    made = replace(process(sends=False), look=looked.set)
    thread = threading.Thread(target=made.work)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("consumers.process.stop_on_signals", lambda stop: None)
        thread.start()
        assert looked.wait(5)
        made.stop.set()
        thread.join()
