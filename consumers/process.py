"""A process that runs until it is told to end: its time, how it warms up, what it takes and what it sends."""

import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from consumers.monitoring.telemetry import Telemetry
from consumers.replies.sender import ReplySender
from consumers.resilience import OUTAGE, Backoff
from vouch.errors import VouchError

MODELS = "models"                       # what waits, in status and metrics
_log = logging.getLogger(__name__)


class Warming:
    """`warm` loads what the work needs; while it fails, the log, the status and /readyz say so. For one thread."""

    def __init__(
        self, warm: Callable[[], object], backoff: Backoff, telemetry: Telemetry, stop: threading.Event
    ) -> None:
        self._warm = warm
        self._backoff = backoff
        self._telemetry = telemetry
        self._stop = stop
        self._in_a_row = 0

    def succeeds(self) -> bool:
        """Tries once, whatever is in the way: people may put back a model, or choose another, meanwhile."""
        try:
            self._warm()
        except VouchError as error:
            self._in_a_row += 1
            machine = "" if isinstance(error, OUTAGE) else "model"
            _log.warning("not ready to answer yet, and tried again soon: %s", error)
            self._telemetry.waits(MODELS, error, self._seconds(), machine)
            return False
        self._telemetry.goes_on(MODELS)
        return True

    def again(self, ready: Callable[[], object]) -> None:
        """After it failed: until it succeeds, and `ready` is called, or the process ends."""
        while not self._stop.wait(self._seconds()):
            if self.succeeds():
                ready()
                return

    def _seconds(self) -> float:
        return self._backoff.seconds(self._in_a_row)


def stop_on_signals(stop: threading.Event) -> None:
    """SIGTERM and SIGINT set `stop`: the work in hand is finished, then everything is left in order."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())


FOLLOW_S, LOOK_S = 10.0, 2.0
QUESTIONS, REPLIES = "questions", "replies"         # what a process says that it does
_PATIENCE = Backoff(1.0, 30.0)


class ConsumerLoop(Protocol):
    """Takes messages off the log."""

    def run(self, *, drain: bool = False) -> None:
        """Until the process is told to end; with `drain` also ends when nothing is left."""
        ...


def _nothing() -> None:
    """Where a process has none of it to do."""


class Closes(Protocol):
    def close(self) -> None: ...


@dataclass(frozen=True)
class Process:
    takers: Sequence[ConsumerLoop]
    sender: ReplySender | None
    follow: Callable[[], object]        # moves on to the newest version of the index
    stop: threading.Event               # ends the takers too
    shown: Callable[[], AbstractContextManager[None]]       # in it others see how this process is
    components: Sequence[Closes]          # closed with it
    notes: tuple[str, ...] = ()         # said at the start
    guarded: Callable[[], AbstractContextManager[None]] = nullcontext       # in it a process that stands still is ended
    look: Callable[[], object] = _nothing       # says what has gone wrong meanwhile, every two seconds
    warm: Callable[[], object] = _nothing       # makes it ready to work at once
    telemetry: Telemetry = field(default_factory=Telemetry)     # is told while that fails
    patience: Backoff = _PATIENCE               # between its tries

    def work(self, *, drain: bool = False, ready: Callable[[], object] = _nothing) -> None:
        """Works until SIGTERM, Ctrl-C or, with `drain`, until the log and the outbox are empty.

        `ready` is called once what it needs is loaded; one that only drains loads that when it needs it. While it
        cannot be loaded everything else is done, questions wait, and it is tried again.
        Raises what ended one of its threads, once the others have ended too.
        """
        stop_on_signals(self.stop)
        with self.guarded(), self.shown():
            for note in self.notes:
                _log.warning("%s", note)
            warming = Warming(self.warm, self.patience, self.telemetry, self.stop)
            if drain or warming.succeeds():
                ready()
                self._work(drain)
            else:
                self._work(drain, partial(warming.again, ready))

    def close(self) -> None:
        self.stop.set()
        for machine in self.components:
            machine.close()

    def _work(self, drain: bool, *more: Callable[[], None]) -> None:
        failed: list[Exception] = []
        nothing_more = threading.Event()
        beside = [self._beside(loop, failed) for loop in (self._follow, *more)]
        taking = [self._beside(partial(taker.run, drain=drain), failed) for taker in self.takers]
        sending = [self._beside(partial(self.sender.run, self.stop, nothing_more), failed)] if self.sender else []
        try:
            _joined(taking)             # without `drain` they end when all is to end
            if drain:
                nothing_more.set()
                _joined(sending)
            else:
                self.stop.wait()
        finally:
            self.stop.set()
            _joined([*taking, *sending, *beside])
        if failed:
            raise failed[0]

    def _beside(self, work: Callable[[], None], failed: list[Exception]) -> threading.Thread:
        def guarded() -> None:
            try:
                work()
            except Exception as error:      # answers that nobody sends are worse than a process that ends
                failed.append(error)
                self.stop.set()

        thread = threading.Thread(target=guarded)
        thread.start()
        return thread

    def _follow(self) -> None:
        """Without being asked, so that nothing of a purged version is held open for long, and nobody has to ask."""
        due = time.monotonic() + FOLLOW_S
        while True:
            with suppress(VouchError):          # whoever asks is told
                self.look()
                if time.monotonic() >= due:
                    due = time.monotonic() + FOLLOW_S
                    self.follow()
            if self.stop.wait(LOOK_S):
                return


def _joined(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.join()


def now() -> datetime:
    return datetime.now(UTC)
