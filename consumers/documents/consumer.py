"""Changes of documents from the log become ingests: gathered per source, one ingest at a time, committed after it.

The log is read on while an ingest runs in a thread beside it, so that the
member keeps its partitions and messages go on being gathered.

What the starter raises decides:
  Unavailable, Busy, Guarded   it waits and is tried again, with what has come since, for as long as it takes
  anything else                a few attempts, then its messages go to the dead topic
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime

from consumers.documents.debounce import ChangeDebouncer, Gathered
from consumers.documents.ingest_attempts import LATER, IngestAttempts
from consumers.monitoring.telemetry import Telemetry
from consumers.resilience import OUTAGE, Backoff, OutageRetry
from consumers.worker.dead_letters import send_to_dead_letter
from consumers.worker.in_flight import Offsets
from consumers.worker.message_processor import AttemptStore, said
from vouch.errors import BadMessage, Guarded, Unavailable
from vouch.messages import DocumentsChanged, decode
from vouch.ports.ingestion import IngestRunner
from vouch.ports.log import Consumer, Log, Producer, Record

TOPIC = "documents.changed"
_log = logging.getLogger(__name__)


class DocumentsWorker:
    """One member of `group`, worked by one thread. An ingest under way is told to end when `stop` is set."""

    def __init__(
        self,
        log: Log,
        group: str,
        starter: IngestRunner,
        attempts: AttemptStore,
        clock: Callable[[], datetime],
        stop: threading.Event,
        *,
        quiet_s: float,
        longest_s: float,
        max_attempts: int = 5,
        backoff: Backoff | None = None,
        ticks: Callable[[], float] = time.monotonic,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._log = log
        self._group = group
        self._clock = clock
        self._stop = stop
        self._ingesting = IngestAttempts(starter, group, attempts, clock, stop, max_attempts)
        self._backoff = backoff or Backoff(0.5, 60.0)
        self._gathering = ChangeDebouncer(quiet_s, longest_s, ticks)
        self._offsets = Offsets()
        self._telemetry = telemetry or Telemetry()
        self._bad: deque[tuple[Record, BadMessage | None]] = deque()    # no error: lies on the dead topic already
        self._running: tuple[Gathered, Future[None]] | None = None
        self._consumer: Consumer | None = None
        self._producer: Producer | None = None

    def run(self, *, drain: bool = False) -> None:
        """Works until `stop` is set; with `drain` ends when nothing is left but what a guard or a hold stops."""
        outages = OutageRetry(self._group, self._backoff, self._telemetry, self._stop)
        with ThreadPoolExecutor(1, "ingest") as pool:
            try:
                while not self._stop.is_set():
                    self._telemetry.beat(self._group)
                    with outages.waited_out():
                        if not self.step(pool, 0.02 if drain else 0.2, at_once=drain) and drain and self._drained():
                            return
            finally:
                self._end()
                self._telemetry.ended(self._group)

    def step(self, pool: ThreadPoolExecutor, timeout_s: float, *, at_once: bool = False) -> bool:
        """One look at the running ingest, the log and the clock. False if nothing came and nothing runs."""
        if self._consumer is None:
            self._consumer = self._log.consumer(self._group, [TOPIC])
        if self._running is not None and self._running[1].done():
            self._settle(*self._running)
        record = self._consumer.poll(timeout_s)
        if record is not None:
            self._take(record)
        if self._running is None:
            due = self._gathering.take_due(at_once=at_once and record is None)
            if due is not None:
                self._running = due, pool.submit(self._ingesting.ingest, due)
        self._set_aside()
        return record is not None or self._running is not None

    def _take(self, record: Record) -> None:
        if not self._offsets.take(record):
            return
        try:
            message = decode(record.topic, record.value)
        except BadMessage as error:
            self._bad.append((record, error))
            return
        assert isinstance(message, DocumentsChanged)
        self._gathering.add(record, message)

    def _set_aside(self) -> None:
        """Buries what is no message. What an outage interrupts goes on at the next step."""
        while self._bad:
            record, error = self._bad[0]
            if error is not None:
                self._bury(record, error, 1, self._clock())
                self._bad[0] = record, None
            self._done(record)
            self._bad.popleft()

    def _settle(self, gathered: Gathered, ingest: Future[None]) -> None:
        """What became of an ingest. If the ledger or the log is away, it is settled at the next look."""
        error = ingest.exception()
        if isinstance(error, LATER):
            self._again(gathered, error, held=isinstance(error, Guarded))
        elif error is not None and not self._given_up(gathered, error):
            self._again(gathered, error, held=False)
        else:
            self._ingesting.end(gathered)
            self._telemetry.goes_on(f"ingest of {gathered.source}")
            for record in gathered.records:
                self._done(record)
        self._running = None

    def _again(self, gathered: Gathered, error: BaseException, *, held: bool) -> None:
        gathered.failures += 1
        gathered.held = held
        seconds = self._backoff.seconds(gathered.failures)
        _log.warning("%s: %s waits %.1f s: %s", self._group, gathered.source, seconds, said(error))
        if isinstance(error, LATER):
            self._telemetry.waits(f"ingest of {gathered.source}", error, seconds, "a person" if held else "")
        self._gathering.put_back(gathered, seconds)

    def _given_up(self, gathered: Gathered, error: BaseException) -> bool:
        """Whether its messages went to the dead topic: after the last attempt, those before a restart included."""
        _log.error("%s: the ingest of %s failed", self._group, gathered.source, exc_info=error)
        if not self._ingesting.spent(gathered):
            return False
        for record in gathered.records:
            self._bury(record, error, self._ingesting.most, gathered.first_attempt or self._clock())
        return True

    def _bury(self, record: Record, error: BaseException, attempts: int, first_at: datetime) -> None:
        if self._consumer is not None and not self._consumer.holds(record):
            _log.warning("%s: a message for %s went to another member before it was dead", self._group, record.key)
            return
        if self._producer is None:
            self._producer = self._log.producer()
        send_to_dead_letter(self._producer, record, error, attempts, first_at, self._clock())
        _log.error("%s: a message for %s is dead: %s", self._group, record.key, type(error).__name__)

    def _done(self, record: Record) -> None:
        furthest = self._offsets.done(record)
        if furthest is not None and self._consumer is not None and not self._consumer.commit(furthest):
            _log.warning("%s: partition %d went to another member meanwhile", self._group, furthest.partition)

    def _drained(self) -> bool:
        if not self._gathering.only_held():
            return False
        return self._log.lag(self._group, TOPIC) <= self._offsets.held()

    def _end(self) -> None:
        """Waits for the ingest under way, which `stop` ends soon, and leaves the group."""
        try:
            if self._running is not None:
                self._running[1].exception()
                self._settle(*self._running)
        except OUTAGE as error:
            _log.warning("%s: what was ingested last is ingested again: %s", self._group, error)
        for waiting in self._gathering.waiting():
            self._ingesting.leave(waiting)
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            try:
                consumer.close()
            except Unavailable as error:
                _log.warning("%s: leaving the log: %s", self._group, error)
