"""Takes messages off the log and works several at once. Nothing is lost and nobody waits in silence.

One thread reads, commits and sends to dead topics; each message in hand is
handled in a thread of its own (see message_processor.py). A partition is committed up
to its first message that is not finished, so a process that dies repeats what
it had in hand, and nothing else.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from consumers.monitoring.telemetry import Telemetry
from consumers.resilience import OUTAGE, Backoff, OutageRetry
from consumers.worker.dead_letters import send_to_dead_letter
from consumers.worker.in_flight import InFlight, RunningTasks, Task
from consumers.worker.message_processor import SUSPECT, AttemptStore, Dead, Handler, MessageProcessor, Outcome, place_of
from vouch.errors import Unavailable, VouchError
from vouch.ports.log import Consumer, Log, Producer, Record

HOLD = 16
_LOOK_S = 0.01                          # between looks at the log while something is at work
_RENEW_S = 0.2
_log = logging.getLogger(__name__)


class Worker:
    """One member of `group` on the topics of `handlers`. One thread works it; `stop` may be set by any.

    Of a message that hangs for `patience_s` its asker is told and the dead
    topic; the place it takes among the `hold` is free again when it ends.
    """

    def __init__(
        self,
        log: Log,
        group: str,
        handlers: Mapping[str, Handler],
        attempts: AttemptStore,
        clock: Callable[[], datetime],
        stop: threading.Event,
        *,
        hold: int = HOLD,
        max_attempts: int = 5,
        backoff: Backoff | None = None,
        patience_s: float = 300.0,
        grace_s: float = 25.0,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._log = log
        self._group = group
        self._topics = sorted(handlers)
        self._attempts = attempts
        self._clock = clock
        self._stop = stop
        self._hold = hold
        self._backoff = backoff or Backoff()
        self._patience = patience_s
        self._grace = grace_s
        self._telemetry = telemetry or Telemetry()
        self._handling = MessageProcessor(
            group, handlers, attempts, clock, stop,
            max_attempts=max_attempts, backoff=backoff, telemetry=self._telemetry,
        )
        self._hand = InFlight()
        self._at_work = RunningTasks(self._handling.handle)
        self._due: dict[tuple[str, int], Record] = {}   # up to where each partition may be committed
        self._renewed = time.monotonic()
        self._consumer: Consumer | None = None
        self._producer: Producer | None = None

    def run(self, *, drain: bool = False) -> None:
        """Works until `stop` is set; with `drain` also ends when the group has nothing left to read."""
        outages = OutageRetry(self._group, self._backoff, self._telemetry, self._stop)
        try:
            while not self._stop.is_set():
                self._telemetry.beat(self._group)
                with outages.waited_out():
                    if not self.step(0.02 if drain else 0.5) and drain and self._drained():
                        return
        finally:
            self.close()
            self._telemetry.ended(self._group)

    @property
    def reading(self) -> bool:
        """Whether it is a member of its group."""
        return self._consumer is not None

    def step(self, timeout_s: float, *, hold: int | None = None) -> bool:
        """Begins and settles what there is, with at most `hold` in hand. False if in that time there was nothing.

        Raises Unavailable when the log or the ledger is; nothing in hand is lost by that.
        """
        until = time.monotonic() + timeout_s
        while True:
            moved = self._settle()
            moved |= self._fill(hold or self._hold)
            left = until - time.monotonic()
            if moved or left <= 0 or self._stop.is_set():
                return moved
            if len(self._hand):
                self._at_work.wait(min(_LOOK_S, left))
            else:
                self._read(left)

    def close(self) -> None:
        """Leaves the group once what is in hand has ended; what has not ended in time comes to another member."""
        try:
            self._finish()
        except OUTAGE as error:
            _log.warning("%s: what was finished last comes again: %s", self._group, error)
        finally:
            components: list[Consumer | Producer | None] = [self._consumer, self._producer]
            self._consumer = self._producer = None
            self._hand, self._due = InFlight(), {}
            for machine in components:
                self._leave(machine)

    def _fill(self, hold: int) -> bool:
        """Reads while there is room, and begins what may be begun."""
        began = self._begin()
        while len(self._hand) + self._at_work.given_up < hold and not self._stop.is_set() and self._read(0.0):
            began |= self._begin()
        self._renew()
        return began

    def _renew(self) -> None:
        if time.monotonic() - self._renewed > _RENEW_S and self._consumer is not None:
            self._consumer.renew()
            self._renewed = time.monotonic()

    def _read(self, timeout_s: float) -> bool:
        if self._consumer is None:
            self._consumer = self._log.consumer(self._group, self._topics)
        record = self._consumer.poll(timeout_s)
        self._renewed = time.monotonic()
        if record is not None:
            self._hand.take(record)
        return record is not None

    def _begin(self) -> bool:
        """Sets to work what is ready; what may have ended processes before is set to work with nothing beside it."""
        began = False
        while (record := self._hand.next()) is not None and not self._at_work.alone and not self._stop.is_set():
            begun = self._attempts.begun(self._group, record)
            alone = begun >= SUSPECT
            if alone and len(self._at_work):
                break
            self._hand.begin(record)
            self._at_work.begin(record, begun, alone=alone)
            began = True
        return began

    def _settle(self) -> bool:
        """Buries and commits for what has ended. What an outage interrupts goes on at the next call."""
        for hanging in self._at_work.hanging(self._patience):
            self._give_up(hanging)
        settled = False
        while (task := self._at_work.first_ended()) is not None:
            if task.outcome is not None and task.outcome.done:
                self._finished(task, task.outcome)
            self._at_work.settled(task)
            if task.error is not None:
                raise task.error
            settled = True
        for partition, record in list(self._due.items()):
            self._commit(record)
            del self._due[partition]
        return settled

    def _finished(self, task: Task, outcome: Outcome) -> None:
        if outcome.dead is not None:
            if not task.buried:
                if self._consumer is not None and not self._consumer.holds(task.record):
                    _log.warning("%s: %s went to another member before it was dead", self._group, place_of(task.record))
                    self._hand.drop(task.record)
                    return
                self._bury(task.record, outcome.dead)
                task.buried = True
            self._handling.end(task.record)
        furthest = self._hand.finish(task.record)
        if furthest is not None:
            self._due[furthest.topic, furthest.partition] = furthest

    def _give_up(self, task: Task) -> None:
        _log.error("%s: %s hangs and is given up", self._group, place_of(task.record))
        error = TimeoutError(f"its handling did not end within {self._patience:.0f} s")
        self._finished(task, self._handling.abandon(task.record, error))
        task.given_up = True
        if self._at_work.given_up >= self._hold:
            cause = f"all {self._hold} slots of the worker are taken by work that does not end"
            raise VouchError(cause, cure="restart the worker")

    def _bury(self, record: Record, dead: Dead) -> None:
        if self._producer is None:
            self._producer = self._log.producer()
        send_to_dead_letter(self._producer, record, dead.error, dead.attempts, dead.first_at, self._clock())
        name = type(dead.error).__name__
        _log.error("%s: %s is dead after %d attempts: %s", self._group, place_of(record), dead.attempts, name)

    def _commit(self, record: Record) -> None:
        assert self._consumer is not None
        if not self._consumer.commit(record):
            _log.warning("%s: %s went to another member meanwhile", self._group, place_of(record))
            self._hand.lose(record.topic, record.partition)

    def _finish(self) -> None:
        """Waits for what is at work; with `stop` set, what waits for another attempt ends by itself."""
        until = time.monotonic() + self._grace
        self._settle()
        while len(self._at_work) and time.monotonic() < until:
            self._at_work.wait(_LOOK_S)
            self._settle()
            self._renew()
        if len(self._at_work):
            _log.warning("%s: %d messages did not end in time and come again", self._group, len(self._at_work))

    def _leave(self, machine: Consumer | Producer | None) -> None:
        if machine is not None:
            try:
                machine.close()
            except Unavailable as error:
                _log.warning("%s: leaving the log: %s", self._group, error)

    def _drained(self) -> bool:
        return not len(self._hand) and all(self._log.lag(self._group, topic) == 0 for topic in self._topics)
