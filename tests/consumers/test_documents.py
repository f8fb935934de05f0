"""Messages of changed documents: gathered, ingested once, committed after it, not lost to what can be waited out."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from consumers.documents.consumer import TOPIC, DocumentsWorker
from consumers.documents.debounce import MOST_NAMED, ChangeDebouncer
from consumers.resilience import Backoff
from consumers.worker.in_flight import Offsets
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import Busy, Guarded, LogDown, NotFound, Unavailable
from vouch.messages import DeadLetter, DocumentsChanged, Message
from vouch.ports.log import Record

NOW = datetime(2026, 11, 21, tzinfo=UTC)
GROUP = "g"
Send = Callable[[Message], tuple[int, int]]


def changed(source: str, *paths: str) -> DocumentsChanged:
    return DocumentsChanged(source=source, paths=paths or None, at=NOW)


@dataclass
class Starter:
    """Notes what it is asked; raises what it is told to, per source, before it goes well."""

    asked: list[tuple[str, list[str] | None]] = field(default_factory=list)
    raises: dict[str, list[Exception]] = field(default_factory=dict)
    waits: threading.Event | None = None

    def ingest(self, source: str, paths: Sequence[str] | None, stopped: Callable[[], bool]) -> None:
        self.asked.append((source, None if paths is None else list(paths)))
        while self.waits is not None and not self.waits.wait(0.005):
            if stopped():
                raise Unavailable("stopped")
        if self.raises.get(source):
            raise self.raises[source].pop(0)


@dataclass
class Ticks:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A worker stepped by hand, on a clock set by hand."""

    def __init__(self, log: EmbeddedLog, ledger: Ledger, starter: Starter) -> None:
        self.log, self.starter, self.ticks, self.stop = log, starter, Ticks(), threading.Event()
        self.worker = DocumentsWorker(
            log, GROUP, starter, ledger.attempts, lambda: NOW, self.stop, quiet_s=2, longest_s=30,
            backoff=Backoff(1, 8), ticks=self.ticks,
        )  # fmt: skip
        self.pool = ThreadPoolExecutor(1)

    def work(self) -> None:
        """Until nothing comes and nothing runs, at this moment."""
        while self.worker.step(self.pool, 0.02):
            time.sleep(0.002)

    def wait(self, seconds: float) -> None:
        self.ticks.now += seconds
        self.work()

    @property
    def lag(self) -> int:
        return self.log.lag(GROUP, TOPIC)

    def dead(self) -> list[Record]:
        return list(self.log.read(f"{TOPIC}.dead"))


@pytest.fixture
def starter() -> Starter:
    return Starter()


@pytest.fixture
def bench(log: EmbeddedLog, ledger: Ledger, starter: Starter) -> Iterator[Bench]:
    made = Bench(log, ledger, starter)
    yield made
    made.stop.set()
    made.worker._end()
    made.pool.shutdown()


def test_messages_of_a_source_are_one_ingest_once_it_is_quiet(bench: Bench, starter: Starter, send: Send) -> None:
    for path in ("b.md", "a.md", "b.md"):
        send(changed("docs", path))
    send(changed("wiki"))
    bench.work()
    bench.wait(1.9)
    assert starter.asked == [] and bench.lag == 4
    bench.wait(0.2)
    assert sorted(starter.asked) == [("docs", ["a.md", "b.md"]), ("wiki", None)]
    assert bench.lag == 0
    bench.wait(100)
    assert len(starter.asked) == 2


@pytest.mark.slow
def test_a_source_that_is_never_quiet_waits_no_longer_than_it_should(
    bench: Bench, starter: Starter, send: Send
) -> None:
    for second in range(40):
        send(changed("docs", f"{second}.md"))
        bench.wait(1)
    assert [len(paths or []) for _, paths in starter.asked] == [31]


def test_whole_and_named_are_whole_and_so_are_very_many(bench: Bench, starter: Starter, send: Send) -> None:
    send(changed("docs", "a.md"))
    send(changed("docs"))
    send(changed("docs", "b.md"))
    send(changed("many", *map(str, range(MOST_NAMED))))
    send(changed("many", "one more"))
    bench.work()
    bench.wait(3)
    assert sorted(starter.asked) == [("docs", None), ("many", None)]


@pytest.mark.slow
@pytest.mark.parametrize("error", [Busy("another ingest"), Guarded("a rollback is in force"), Unavailable("no model")])
def test_what_can_be_waited_out_is_tried_again_with_what_came_since(
    bench: Bench, starter: Starter, send: Send, error: Exception
) -> None:
    starter.raises["docs"] = [error] * 9
    send(changed("docs", "a.md"))
    bench.work()
    bench.wait(3)
    send(changed("docs", "b.md"))
    bench.work()
    for _ in range(9):
        bench.wait(9)
    assert starter.asked[0] == ("docs", ["a.md"]) and starter.asked[-1] == ("docs", ["a.md", "b.md"])
    assert (len(starter.asked), bench.lag, bench.dead()) == (10, 0, [])


@pytest.mark.slow
def test_a_source_that_is_held_holds_up_no_other(bench: Bench, starter: Starter, send: Send, log: EmbeddedLog) -> None:
    names = [f"s{n}" for n in range(12)]
    starter.raises["s0"] = [Guarded("held")] * 1000
    for name in names:
        send(changed(name, "a.md"))
    bench.work()
    bench.wait(3)
    assert sorted({source for source, _ in starter.asked}) == sorted(names)
    same = [record for record in log.read(TOPIC) if record.partition == partition_of(log, "s0")]
    assert bench.lag == len(same), "what lies behind it in its partition is done, and not committed past it"
    starter.raises.clear()
    bench.wait(9)
    assert bench.lag == 0


def partition_of(log: EmbeddedLog, source: str) -> int:
    return next(record.partition for record in log.read(TOPIC) if record.key == source.encode())


def test_a_source_that_does_not_exist_is_dead_after_its_attempts(bench: Bench, starter: Starter, send: Send) -> None:
    starter.raises["nothere"] = [NotFound("no source named nothere") for _ in range(9)]
    send(changed("nothere", "a.md"))
    send(changed("nothere"))
    send(changed("docs"))
    bench.work()
    for _ in range(9):
        bench.wait(9)
    assert [source for source, _ in starter.asked].count("nothere") == 5
    assert [source for source, _ in starter.asked].count("docs") == 1
    letters = [DeadLetter.read(record.headers) for record in bench.dead()]
    assert [(letter.error, letter.attempts) for letter in letters] == [("NotFound", 5)] * 2
    assert [record.key for record in bench.dead()] == [b"nothere"] * 2
    assert bench.lag == 0


def test_attempts_count_beyond_the_life_of_a_process(
    log: EmbeddedLog, ledger: Ledger, send: Send, starter: Starter
) -> None:
    send(changed("docs"))
    (record,) = log.read(TOPIC)
    ledger.attempts.put(GROUP, record, 5, NOW)          # five processes that were never heard of again
    bench = Bench(log, ledger, starter)
    bench.work()
    for _ in range(3):
        bench.wait(9)
    assert starter.asked == []
    (letter,) = (DeadLetter.read(r.headers) for r in bench.dead())
    assert letter.error == "ProcessEnded" and "vouch dead replay" in letter.reason and bench.lag == 0
    bench.worker._end()
    bench.pool.shutdown()


def test_what_is_no_message_is_dead_at_once(bench: Bench, log: EmbeddedLog, starter: Starter) -> None:
    log.producer().send(TOPIC, b"docs", b"{}")
    bench.work()
    assert (len(bench.dead()), bench.lag, starter.asked) == (1, 0, [])


@dataclass
class Refusing:
    """A log whose dead topics, or whose commits, are away as often as told."""

    log: EmbeddedLog
    sends: int = 0
    commits: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.log, name)

    def producer(self) -> Any:
        made = self.log.producer()
        return Taps(made, "send", self._once("sends"))

    def consumer(self, *words: Any) -> Any:
        return Taps(self.log.consumer(*words), "commit", self._once("commits"))

    def _once(self, name: str) -> Callable[[], None]:
        def tap() -> None:
            if getattr(self, name):
                setattr(self, name, getattr(self, name) - 1)
                raise LogDown("away for a moment")

        return tap


@dataclass
class Taps:
    machine: Any
    method: str
    tap: Callable[[], None]

    def __getattr__(self, name: str) -> Any:
        if name == self.method:
            self.tap()
        return getattr(self.machine, name)


@pytest.mark.parametrize(("sends", "commits"), [(3, 0), (0, 3)])
def test_what_is_no_message_is_dead_once_the_log_takes_it_and_holds_nothing_up(
    ledger: Ledger, starter: Starter, send: Send, log: EmbeddedLog, sends: int, commits: int
) -> None:
    log.producer().send(TOPIC, b"docs", b"{}")
    for _ in range(3):
        send(changed("docs"))
    DocumentsWorker(
        Refusing(log, sends, commits), GROUP, starter, ledger.attempts, lambda: NOW, threading.Event(),  # type: ignore[arg-type]
        quiet_s=0, longest_s=0, backoff=Backoff(0.01, 0.02),
    ).run(drain=True)  # fmt: skip
    assert len(list(log.read(f"{TOPIC}.dead"))) == 1 and log.lag(GROUP, TOPIC) == 0
    assert starter.asked and {source for source, _ in starter.asked} == {"docs"}


def test_messages_are_gathered_while_an_ingest_runs_and_nothing_is_committed_before_its_end(
    bench: Bench, starter: Starter, send: Send
) -> None:
    starter.waits = threading.Event()
    send(changed("docs", "a.md"))
    bench.worker.step(bench.pool, 0.5)
    bench.ticks.now += 3
    for _ in range(5):
        bench.worker.step(bench.pool, 0.01)
    assert starter.asked == [("docs", ["a.md"])]
    send(changed("docs", "b.md"))
    for _ in range(5):
        bench.worker.step(bench.pool, 0.01)
    assert bench.lag == 2
    starter.waits.set()
    bench.work()
    assert bench.lag == 1
    bench.wait(3)
    assert (starter.asked[1:], bench.lag) == ([("docs", ["b.md"])], 0)


def test_stop_ends_an_ingest_under_way_and_the_next_worker_does_it(
    log: EmbeddedLog, ledger: Ledger, send: Send
) -> None:
    endless = Starter(waits=threading.Event())
    stop = threading.Event()
    worker = DocumentsWorker(log, GROUP, endless, ledger.attempts, lambda: NOW, stop, quiet_s=0, longest_s=0)
    running = threading.Thread(target=worker.run)
    running.start()
    send(changed("docs", "a.md"))
    end = time.monotonic() + 5
    while not endless.asked and time.monotonic() < end:
        time.sleep(0.01)
    stop.set()
    running.join(5)
    assert not running.is_alive() and log.lag(GROUP, TOPIC) == 1
    (record,) = log.read(TOPIC)
    assert ledger.attempts.begun(GROUP, record) == 0, "a stop is no attempt"
    after = Starter()
    DocumentsWorker(
        log, GROUP, after, ledger.attempts, lambda: NOW, threading.Event(), quiet_s=60, longest_s=60
    ).run(drain=True)
    assert (after.asked, log.lag(GROUP, TOPIC)) == ([("docs", ["a.md"])], 0)


def test_draining_leaves_what_only_a_person_can_let_go_on(log: EmbeddedLog, ledger: Ledger, send: Send) -> None:
    starter = Starter(raises={"held": [Guarded("held")] * 1000, "busy": [Busy("busy")]})
    for name in ("held", "busy", "docs"):
        send(changed(name))
    DocumentsWorker(
        log, GROUP, starter, ledger.attempts, lambda: NOW, threading.Event(), quiet_s=60, longest_s=60,
        backoff=Backoff(0.01, 0.02),
    ).run(drain=True)  # fmt: skip
    assert [source for source, _ in starter.asked].count("busy") == 2
    assert [source for source, _ in starter.asked].count("docs") == 1
    assert log.lag(GROUP, TOPIC) >= 1


def record(offset: int, partition: int = 0) -> Record:
    return Record(TOPIC, partition, offset, b"k", b"", (), 0)


def test_offsets_never_pass_one_that_is_not_done() -> None:
    offsets = Offsets()
    assert all(offsets.take(record(n)) for n in (3, 4, 5, 6))
    assert not offsets.take(record(4))
    assert offsets.done(record(4)) is None
    assert offsets.done(record(3)) == record(4)
    assert not offsets.take(record(5)) and offsets.take(record(5, partition=1))
    assert offsets.done(record(6)) is None
    assert offsets.held() == 3
    assert offsets.done(record(5)) == record(6)


def test_the_one_that_has_waited_longest_comes_first() -> None:
    ticks = Ticks()
    gathering = ChangeDebouncer(2, 30, ticks)
    for name in ("b", "a"):
        gathering.add(record(1), changed(name))
        ticks.now += 1
    assert gathering.take_due() is not None and gathering.take_due() is None
    ticks.now += 1
    due = gathering.take_due()
    assert due is not None and due.source == "a"
