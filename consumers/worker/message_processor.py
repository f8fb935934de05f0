"""One message from its first attempt to its end, in whatever thread it is given to, and the count of its attempts.

What the handler raises decides:
  Unavailable, Busy   a machine is down: wait and try again, for as long as it takes
  anything else       a few attempts, then the dead topic, and the handler tells whoever waits
  BadMessage          from decoding too: the dead topic at once, for nobody could be told
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from consumers.monitoring.telemetry import Telemetry
from consumers.resilience import OUTAGE, Backoff, OutageRetry
from vouch.errors import BadMessage, ProcessEnded, VouchError
from vouch.messages import Message, decode
from vouch.ports.log import Record
from vouch.trace import traced


class AttemptStore(Protocol):
    """Counts attempts beyond the life of a process, so that a message that kills it is found out."""

    def begun(self, group: str, record: Record) -> int:
        """How many attempts were begun and not ended."""
        ...

    def put(self, group: str, record: Record, count: int, at: datetime) -> datetime:
        """So many are begun now; when the first of them was."""
        ...

    def end(self, group: str, record: Record) -> None: ...


class AttemptCounter:
    """`begun` is what the ledger said when this process took the message.

    Each write says how many there are, never one more or less: what an outage
    kept from the ledger, or may have, is put right by the next one.
    """

    def __init__(self, store: AttemptStore, group: str, record: Record, begun: int) -> None:
        self._store = store
        self._group = group
        self._record = record
        self._failed = begun
        self._owed = False
        self.count = begun              # the latest one included

    def begin(self, at: datetime) -> datetime:
        """One more, which counts unless it is taken back; when the first of all was begun."""
        self._owed = True
        self.count = self._failed + 1
        return self._store.put(self._group, self._record, self.count, at)

    def failed(self) -> None:
        """The latest one was the message's own fault."""
        self._failed = self.count
        self._owed = False

    def take_back(self, at: datetime) -> None:
        """The latest one does not count: it failed for a reason that is not the message's."""
        self.count = self._failed
        self._store.put(self._group, self._record, self.count, at)
        self._owed = False

    def leave(self, at: datetime) -> None:
        """This process tries no more: what it owes the ledger is paid if that can be."""
        if self._owed:
            with contextlib.suppress(*OUTAGE):
                self.take_back(at)


SUSPECT = 2                             # in hand so often when a process ended: handled with nothing beside it
_log = logging.getLogger(__name__)


class Handler(Protocol):
    """Both methods may be called again with a message they have handled, and then change nothing."""

    def handle(self, message: Any) -> None: ...

    def give_up(self, message: Any) -> None:
        """The message goes to the dead topic after this returns; tells whoever waits for its outcome."""
        ...


@dataclass(frozen=True, slots=True)
class Dead:
    """Why a message goes to the dead topic."""

    error: Exception
    attempts: int
    first_at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """`done`: nobody needs to handle the message again; if `dead` is set, once it lies on the dead topic."""

    done: bool
    dead: Dead | None = None


class MessageProcessor:
    """Threads may share it."""

    def __init__(
        self,
        group: str,
        handlers: Mapping[str, Handler],
        attempts: AttemptStore,
        clock: Callable[[], datetime],
        stop: threading.Event,
        *,
        max_attempts: int = 5,
        backoff: Backoff | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._group = group
        self._handlers = handlers
        self._attempts = attempts
        self._clock = clock
        self._stop = stop
        self._most = max_attempts
        self._backoff = backoff or Backoff()
        self._telemetry = telemetry or Telemetry()

    def handle(self, record: Record, begun: int, busy: Callable[[bool], None]) -> Outcome:
        """Works until the message is done with, or `stop` is set while it waits for its next attempt.

        `begun` attempts were not ended before this process took it. Says so
        with `busy` whenever an attempt begins, and whenever it is waiting.
        """
        outcome, tries = None, AttemptCounter(self._attempts, self._group, record, begun)
        outages = OutageRetry(place_of(record), self._backoff, self._telemetry, self._stop)
        while not self._stop.is_set():
            with outages.waited_out():
                busy(True)
                try:
                    outcome = outcome or self._attempt(record, tries, busy)
                    if outcome is not None:
                        self._tell(record, outcome)
                        became = "dead" if outcome.dead else "done"
                        self._telemetry.count("messages", topic=record.topic, outcome=became)
                        return outcome
                except OUTAGE:
                    busy(False)
                    raise
        tries.leave(self._clock())
        outages.over()
        return Outcome(done=False)

    def abandon(self, record: Record, error: Exception) -> Outcome:
        """For a message whose handler does not come back: whoever waits is told, and it is dead."""
        outcome = Outcome(done=True, dead=Dead(error, self._attempts.begun(self._group, record), self._clock()))
        self._tell(record, outcome)
        self._telemetry.count("messages", topic=record.topic, outcome="dead")
        return outcome

    def end(self, record: Record) -> None:
        """Its attempts need not be known any longer."""
        self._attempts.end(self._group, record)

    def _attempt(self, record: Record, tries: AttemptCounter, busy: Callable[[bool], None]) -> Outcome | None:
        """One attempt; None when there is to be another one."""
        try:
            message = decode(record.topic, record.value)
        except BadMessage as error:
            return Outcome(done=True, dead=Dead(error, 1, self._clock()))
        with traced(subject_of(message)):
            return self._attempt_message(record, message, tries, busy)

    def _attempt_message(
        self, record: Record, message: Message, tries: AttemptCounter, busy: Callable[[bool], None]
    ) -> Outcome | None:
        first_at, began = tries.begin(self._clock()), time.monotonic()
        try:
            if tries.count > self._most + SUSPECT:          # the first of them may have been a neighbor's fault
                raise ProcessEnded(tries.count - 1, "handling it")
            self._handlers[record.topic].handle(message)
        except OUTAGE:
            tries.take_back(self._clock())
            raise
        except BadMessage as error:
            return Outcome(done=True, dead=Dead(error, tries.count, first_at))
        except Exception as error:
            _log.exception("%s: attempt %d at %s failed", self._group, tries.count, place_of(record))
            tries.failed()
            if tries.count < self._most:
                busy(False)
                self._stop.wait(self._backoff.seconds(tries.count))
                return None
            return Outcome(done=True, dead=Dead(error, min(tries.count, self._most + SUSPECT), first_at))
        self.end(record)
        self._telemetry.took("handling", time.monotonic() - began, topic=record.topic)
        _log.info("%s: %s is done", self._group, place_of(record))
        return Outcome(done=True)

    def _tell(self, record: Record, outcome: Outcome) -> None:
        """Whoever waits for a dead message is told; nobody can wait for what is no message."""
        if outcome.dead is None or isinstance(outcome.dead.error, BadMessage):
            return
        try:
            self._handlers[record.topic].give_up(decode(record.topic, record.value))
        except OUTAGE:
            raise
        except Exception:
            _log.exception("%s: nobody could be told that a message failed", self._group)


def place_of(record: Record) -> str:
    return f"{record.topic}/{record.partition}/{record.offset}"


def subject_of(message: Message) -> str:
    """The id that all lines logged about a message have in common."""
    for name in ("question_id", "id", "answer_id", "source"):
        if isinstance(subject := getattr(message, name, None), str):
            return subject
    return ""


def said(error: BaseException) -> str:
    """An error in words that may be logged and kept: others' words may repeat what people asked or wrote."""
    return f"{type(error).__name__}: {error}" if isinstance(error, VouchError) else type(error).__name__
