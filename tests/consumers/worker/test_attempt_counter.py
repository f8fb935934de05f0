"""Only what was the message's own fault counts, whatever an outage kept from the ledger or hid behind a commit."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from machines.ledger_place import LedgerPlace
from machines.notebook import Notebook, dead

from consumers.documents.consumer import DocumentsWorker
from consumers.resilience import Backoff
from consumers.worker.message_processor import AttemptCounter
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import LedgerDown
from vouch.messages import DocumentsChanged, QuestionAsked
from vouch.ports.log import Record

NOW = datetime(2026, 11, 21, tzinfo=UTC)
FLAPS = 12


class Flapping:
    """The ledger's attempts; `lost` are the writes whose connection is lost, behind their commit if `behind`."""

    def __init__(self, ledger: Ledger, lost: Callable[[int], bool], *, behind: bool) -> None:
        self._real, self._lost, self._behind = ledger.attempts, lost, behind
        self.writes = 0

    def begun(self, group: str, record: Record) -> int:
        return self._real.begun(group, record)

    def put(self, group: str, record: Record, count: int, at: datetime) -> datetime:
        self.writes += 1
        if self._lost(self.writes):
            if self._behind:
                self._real.put(group, record, count, at)
            raise LedgerDown("the connection was lost")
        return self._real.put(group, record, count, at)

    def end(self, group: str, record: Record) -> None:
        self._real.end(group, record)


PATTERNS: list[tuple[str, Callable[[int], bool], bool]] = [
    ("every taking back", lambda n: n % 2 == 0 and n < 2 * FLAPS, False),
    ("every taking back, behind its commit", lambda n: n % 2 == 0 and n < 2 * FLAPS, True),
    ("every beginning, behind its commit", lambda n: n < FLAPS, True),
]
lost = pytest.mark.parametrize(("lost", "behind"), [p[1:] for p in PATTERNS], ids=[p[0] for p in PATTERNS])


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


@lost
def test_a_ledger_that_goes_away_in_each_attempt_makes_no_question_dead(
    log: EmbeddedLog, ledger: Ledger, question: Any, send: Any, clock: Any, stop: threading.Event, fast: Backoff,
    lost: Callable[[int], bool], behind: bool,
) -> None:  # fmt: skip
    send(question())
    book = Notebook(*[LedgerDown("lost while the answer was stored")] * FLAPS)
    attempts = Flapping(ledger, lost, behind=behind)
    Worker(log, "g", {"questions": book}, attempts, clock, stop, backoff=fast).run(drain=True)
    assert (book.done, book.given_up, dead(log)) == (["q1"], [], [])
    assert attempts.writes > FLAPS


def test_a_process_that_forgets_what_it_owes_would_be_found_out(
    log: EmbeddedLog, ledger: Ledger, question: Any, send: Any, clock: Any, stop: threading.Event, fast: Backoff,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def begin(self: AttemptCounter, at: datetime) -> datetime:
        self.count = self._store.begun(self._group, self._record) + 1
        return self._store.put(self._group, self._record, self.count, at)

    monkeypatch.setattr(AttemptCounter, "begin", begin)
    send(question())
    book = Notebook(*[LedgerDown("lost while the answer was stored")] * FLAPS)
    Worker(
        log, "g", {"questions": book}, Flapping(ledger, PATTERNS[0][1], behind=False), clock, stop, backoff=fast
    ).run(drain=True)
    assert len(dead(log)) == 1


@pytest.mark.slow
@lost
def test_nor_a_change_of_documents(
    log: EmbeddedLog, ledger: Ledger, send: Any, clock: Any, stop: threading.Event, fast: Backoff,
    lost: Callable[[int], bool], behind: bool,
) -> None:  # fmt: skip
    asked: list[str] = []

    class Starter:
        def ingest(self, source: str, *_: Any) -> None:
            asked.append(source)
            if len(asked) <= FLAPS:
                raise LedgerDown("lost while a version was published")

    send(DocumentsChanged(source="docs", at=NOW))
    DocumentsWorker(
        log, "g", Starter(), Flapping(ledger, lost, behind=behind), clock, stop, quiet_s=0, longest_s=0, backoff=fast
    ).run(drain=True)
    assert list(log.read("documents.changed.dead")) == [] and log.lag("g", "documents.changed") == 0
    assert len(asked) == FLAPS + 1


def test_between_outages_the_messages_own_faults_count(
    log: EmbeddedLog, ledger: Ledger, question: Any, send: Any, clock: Any, stop: threading.Event, fast: Backoff
) -> None:
    """Five of them, and no more or fewer, with a lost connection before and behind each."""
    send(question())
    faults: list[Exception] = [error for _ in range(9) for error in (LedgerDown("lost"), ValueError("odd"))]
    book = Notebook(*faults)
    attempts = Flapping(ledger, lambda n: n % 3 == 2, behind=True)
    Worker(log, "g", {"questions": book}, attempts, clock, stop, backoff=fast).run(drain=True)
    [(_, _, letter)] = dead(log)
    assert letter.attempts == 5 and book.given_up == ["q1"]
    assert len([one for one in faults[: len(book.calls)] if isinstance(one, ValueError)]) == 5


def test_what_is_owed_is_paid_before_the_next_process_looks(ledger: Ledger) -> None:
    record, fails = Record("questions", 0, 0, b"", b"", (), 0), [False]
    tries = AttemptCounter(Flapping(ledger, lambda n: fails[0], behind=False), "g", record, 0)
    tries.begin(NOW)
    fails[0] = True
    with pytest.raises(LedgerDown):
        tries.take_back(NOW)
    assert ledger.attempts.begun("g", record) == 1
    tries.leave(NOW)                    # the ledger is still away: nothing is raised
    fails[0] = False
    tries.leave(NOW)
    assert ledger.attempts.begun("g", record) == 0
    AttemptCounter(ledger.attempts, "g", record, 3).leave(NOW)
    assert ledger.attempts.begun("g", record) == 0, "nothing was begun, so nothing is owed"


def test_a_stop_in_the_pause_after_a_lost_taking_back_leaves_no_attempt_behind(
    log: EmbeddedLog, ledger: Ledger, question: Any, send: Any, clock: Any, stop: threading.Event
) -> None:
    send(question())

    class Down(Notebook):
        def handle(self, message: QuestionAsked) -> None:
            stop.set()
            raise LedgerDown("lost")

    Worker(log, "g", {"questions": Down()}, Flapping(ledger, lambda n: n == 2, behind=False), clock, stop).run()
    [record] = log.read("questions")
    assert ledger.attempts.begun("g", record) == 0


