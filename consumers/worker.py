"""Takes messages off the log, one at a time: decode, handle, commit. Nothing is lost and nobody waits in silence.

What the handler raises decides:
  Unavailable, Busy   a machine is down: wait and try again, for as long as it takes
  anything else       a few attempts, then the dead topic, and the handler tells whoever waits
  BadMessage          from decoding: the dead topic at once
"""

import logging
import signal
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from consumers.backoff import Backoff
from vouch.errors import BadMessage, Busy, Unavailable
from vouch.messages import DEAD, DeadLetter, Message, decode
from vouch.ports import Consumer, Log, Producer, Record

_log = logging.getLogger(__name__)
_OUTAGE = (Unavailable, Busy)


class Handler(Protocol):
    """Both methods may be called again with a message they have handled, and then change nothing."""

    def handle(self, message: Any) -> None: ...

    def give_up(self, message: Any) -> None:
        """The message goes to the dead topic after this returns; tells whoever waits for its outcome."""
        ...


class Attempt(Protocol):
    @property
    def count(self) -> int: ...

    @property
    def first_at(self) -> datetime: ...


class AttemptStore(Protocol):
    """Counts attempts beyond the life of a process, so that a message that kills it is found out."""

    def begin(self, group: str, record: Record, at: datetime) -> Attempt: ...

    def take_back(self, group: str, record: Record) -> None: ...

    def end(self, group: str, record: Record) -> None: ...


class Worker:
    """One member of `group` on the topics of `handlers`. One thread works it; `stop` may be set by any."""

    def __init__(
        self,
        log: Log,
        group: str,
        handlers: Mapping[str, Handler],
        attempts: AttemptStore,
        clock: Callable[[], datetime],
        stop: threading.Event,
        *,
        max_attempts: int = 5,
        backoff: Backoff | None = None,
    ) -> None:
        self._log = log
        self._group = group
        self._handlers = handlers
        self._attempts = attempts
        self._clock = clock
        self._stop = stop
        self._most = max_attempts
        self._backoff = backoff or Backoff()
        self._consumer: Consumer | None = None
        self._producer: Producer | None = None

    def run(self, *, drain: bool = False) -> None:
        """Works until `stop` is set; with `drain` also ends when the group has nothing left to read."""
        outages = 0
        try:
            while not self._stop.is_set():
                try:
                    if not self.step(0.02 if drain else 0.5) and drain and self._drained():
                        return
                    outages = 0
                except _OUTAGE as error:
                    outages += 1
                    self._pause(outages, error)
        finally:
            self.close()

    def step(self, timeout_s: float) -> bool:
        """Handles the next message, if one comes in time. Raises Unavailable only while there is none in hand."""
        if self._consumer is None:
            self._consumer = self._log.consumer(self._group, sorted(self._handlers))
        record = self._consumer.poll(timeout_s)
        if record is None:
            return False
        outages = 0
        while not self._stop.is_set():
            try:
                if self._try(record):
                    break
                outages = 0
            except _OUTAGE as error:
                outages += 1
                self._pause(outages, error)
        return True

    def close(self) -> None:
        """Leaves the group. What is in hand but not committed comes to another member."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            try:
                consumer.close()
            except Unavailable as error:
                _log.warning("%s: leaving the log: %s", self._group, error)

    def _try(self, record: Record) -> bool:
        """One attempt. True when the record is done with, here or by another member."""
        assert self._consumer is not None
        self._consumer.renew()
        try:
            message = decode(record.topic, record.value)
        except BadMessage as error:
            self._bury(record, error, 1, self._clock())
            return self._done(record)
        handler = self._handlers[record.topic]
        attempt = self._attempts.begin(self._group, record, self._clock())
        try:
            if attempt.count > self._most:
                raise RuntimeError(f"the process ended {self._most} times while handling it")
            handler.handle(message)
        except _OUTAGE:
            self._attempts.take_back(self._group, record)
            raise
        except Exception as error:
            _log.exception("%s: attempt %d at %s failed", self._group, attempt.count, _place(record))
            if attempt.count < self._most:
                self._stop.wait(self._backoff.seconds(attempt.count))
                return False
            self._give_up(handler, message)
            self._bury(record, error, min(attempt.count, self._most), attempt.first_at)
        self._attempts.end(self._group, record)
        return self._done(record)

    def _give_up(self, handler: Handler, message: Message) -> None:
        try:
            handler.give_up(message)
        except _OUTAGE:
            raise
        except Exception:
            _log.exception("%s: nobody could be told that a message failed", self._group)

    def _bury(self, record: Record, error: Exception, attempts: int, first_at: datetime) -> None:
        letter = DeadLetter(
            record.topic, record.partition, record.offset, str(error)[:2000], type(error).__name__, attempts,
            first_at.isoformat(), self._clock().isoformat(),
        )  # fmt: skip
        if self._producer is None:
            self._producer = self._log.producer()
        headers = [*record.headers, *letter.headers()]
        self._producer.send(record.topic + DEAD, record.key, record.value, headers)
        _log.error("%s: %s is dead after %d attempts: %s", self._group, _place(record), attempts, letter.error)

    def _done(self, record: Record) -> bool:
        assert self._consumer is not None
        if not self._consumer.commit(record):
            _log.warning("%s: %s went to another member meanwhile", self._group, _place(record))
        return True

    def _pause(self, outages: int, error: Exception) -> None:
        seconds = self._backoff.seconds(outages)
        _log.warning("%s: waiting %.1f s: %s", self._group, seconds, error)
        self._stop.wait(seconds)

    def _drained(self) -> bool:
        return all(self._log.lag(self._group, topic) == 0 for topic in self._handlers)


def stop_on_signals(stop: threading.Event) -> None:
    """SIGTERM and SIGINT set `stop`: the work in hand is finished, then everything is left in order."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())


def _place(record: Record) -> str:
    return f"{record.topic}/{record.partition}/{record.offset}"
