"""Brings answers from the outbox to their surface: once each, and only what its readers may still read.

claim → after doubt, ask the receiver → prepare → mark as being posted → may they still read it? → post → announce →
mark as sent

A crash leaves a row where it was. Only one that was being posted is in doubt. The look comes last, right before the
post: a mark may have to wait for the ledger, and what is revoked meanwhile is not sent.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from consumers.monitoring.telemetry import Telemetry
from consumers.questions.handler import BROKEN, Answerer, Decliner
from consumers.replies.posting import (
    Afterwards,
    AnswerRejected,
    PermanentlyRefused,
    ReceiverDown,
    Undeliverable,
    cause_of,
    has,
    post,
    prepared,
)
from consumers.replies.reanswer import AnsweringDown, AnswerReplacer
from consumers.resilience import OUTAGE, Backoff, CircuitBreaker, OutageRetry
from consumers.worker.message_processor import said
from vouch.adapters.ledger import Ledger, OutboxRow
from vouch.errors import ConversationDown, SurfaceDown, Unavailable
from vouch.messages import AnswerReady, AudienceRef, encode, key_of, topic_of
from vouch.ports.log import Producer
from vouch.ports.surface import Delivery, Surface
from vouch.trace import Recorder, span, traced, whole

_EVERYTHING = "everything"
_LOOKS = 3
_LOOK_S = 10.0                          # so long a look may take: who may read it may change meanwhile
_FRESH_S = 2.0                          # so old a look may be when the post begins
_log = logging.getLogger(__name__)


class ReplySender:
    """`still_visible` resolves the audience anew and tells whether it may read every one of the chunks now.

    An answer whose chunks are not goes back through `answerer`; after
    `max_rechecks` of them, or `max_attempts` failures, the question is declined.
    While a surface is down nothing is tried on it, and nothing of it fails;
    while one conversation takes no post, nothing is tried there.
    With `served`, the names of all surfaces that any process serves, answers
    to others fail with that reason. `afterwards`, by surface, tells what is
    posted once an answer was sent or given up.
    """

    def __init__(
        self,
        ledger: Ledger,
        still_visible: Callable[[AudienceRef, Sequence[str]], bool],
        answerer: Answerer,
        decliner: Decliner,
        surfaces: Mapping[str, Surface],
        producer: Producer,
        clock: Callable[[], datetime],
        *,
        lease: timedelta = timedelta(seconds=120),
        max_rechecks: int = 3,
        max_attempts: int = 5,
        backoff: Backoff | None = None,
        served: Collection[str] | None = None,
        telemetry: Telemetry | None = None,
        record: Recorder | None = None,
        afterwards: Mapping[str, Afterwards] | None = None,
    ) -> None:
        self._ledger = ledger
        self._still_visible = still_visible
        self._surfaces = surfaces
        self._producer = producer
        self._clock = clock
        self._lease = lease
        self._max_attempts = max_attempts
        self._backoff = backoff or Backoff()
        self._pauses = CircuitBreaker(self._backoff)
        self._unserved = Undeliverable(ledger, served)
        self._owed: Callable[[], object] | None = None
        self._telemetry = telemetry or Telemetry()
        self._anew = AnswerReplacer(ledger, answerer, decliner, clock, self._telemetry, max_rechecks)
        self._record = record
        self._afterwards = afterwards or {}

    def run(self, stop: threading.Event, drain: threading.Event | None = None, *, idle_s: float = 0.1) -> None:
        """Sends until `stop` is set, or no answer is due once `drain` is; waits out an outage of the ledger."""
        outages = OutageRetry("replies", self._backoff, self._telemetry, stop)
        while not stop.is_set():
            self._telemetry.beat("replies")
            with outages.waited_out():
                if not self.step():
                    if drain is not None and drain.is_set():
                        break
                    self._ledger.outbox.wait(idle_s)
        self._telemetry.ended("replies")

    def step(self) -> bool:
        """Takes one answer as far as it gets; False if there is none that may be tried now.

        Raises Unavailable or Busy when the ledger is: the answer stays this sender's until its lease is over.
        """
        if self._owed is not None:
            self._note(self._owed)
        now = self._clock()
        self._unserved.end(now)
        if not self._pauses.available([_EVERYTHING], now):
            return False
        rows = self._ledger.outbox.claim(self._pauses.available(self._surfaces, now), now, self._lease, limit=1)
        for row in rows:
            with traced(row.question.id, self._record), span("reply", surface=row.question.surface):
                if self._send(row):
                    self._up(_EVERYTHING)
        return bool(rows)

    def _send(self, row: OutboxRow) -> bool:
        """False if it was put off."""
        name, doubt, posted = row.question.surface, row.doubt, row.posted
        surface = self._surfaces[name]
        delivery = Delivery(row.question.id, row.question.thread, row.answer, unasked=not row.question.outside)
        try:
            if not posted and not (doubt and surface.after_doubt == "ask" and has(surface, delivery)):
                doubt = doubt and surface.after_doubt == "repeat"
                if row.attempts >= self._max_attempts:
                    self._end(row)
                    return True
                delivery = prepared(surface, delivery)
                readable = self._marked_and_readable(row)
                if readable is None:
                    _log.warning("replies: question %s was taken over by another sender", row.question.id)
                    return True
                if not readable:
                    self._anew.answer(row)
                    return True
                doubt = True            # until the row says that it is there, or a later look says that it is not
                post(surface, replace(delivery, until=time.monotonic() + _FRESH_S))
            posted = True
            self._up(name)
            self._announce(row)
        except PermanentlyRefused as error:
            self._fail(row, said(cause_of(error)))
        except Exception as error:
            doubt = doubt and not isinstance(error, AnswerRejected)
            if not posted and row.attempts >= self._max_attempts and not isinstance(cause_of(error), OUTAGE):
                self._fail(row, said(cause_of(error)), doubt)   # the look for it, or the decline, fails each time too
                return True
            self._put_off(row, error, doubt, posted)
            return False
        else:
            self._note(lambda: self._sent(row))
        return True

    def _sent(self, row: OutboxRow) -> None:
        then = self._afterwards.get(row.question.surface)
        if self._ledger.outbox.sent(row, self._clock(), then.sent(row) if then else None):
            self._ended(row, "sent")
            _log.info("replies: question %s is answered on %s", row.question.id, row.question.surface)

    def _marked_and_readable(self, row: OutboxRow) -> bool | None:
        """Whether it may be posted now; None if it is another sender's. Neither the mark nor the look is old."""
        for _ in range(_LOOKS):
            if not self._ledger.outbox.posting(row, self._clock(), self._lease):
                return None
            marked, begun = self._clock(), time.monotonic()
            if not self._visible(row):
                return False
            if self._clock() - marked < self._lease / 4 and time.monotonic() - begun < _LOOK_S:
                return True
        raise Unavailable("it takes too long to look up what may be read", cure="it is tried again")

    def _visible(self, row: OutboxRow) -> bool:
        if not row.given:
            return True
        with span("check"):
            try:
                return self._still_visible(row.question.audience, row.given)
            except SurfaceDown as error:        # it cannot tell who reads along
                raise ReceiverDown from error

    def _end(self, row: OutboxRow) -> None:
        """After too many failures a plain decline is tried instead; if that fails as often, nothing is."""
        if self._anew.declined(row):
            self._fail(row, "the surface takes neither the answer nor a decline")
        else:
            self._anew.decline(row, BROKEN)

    def _announce(self, row: OutboxRow) -> None:
        question = row.question
        message = AnswerReady(
            question_id=question.id, answer_id=row.answer["id"], surface=question.surface,
            audience=question.audience, thread=question.thread, sent_at=self._clock(),
        )  # fmt: skip
        with span("announce"):
            self._producer.send(topic_of(message), key_of(message), encode(message))

    def _ended(self, row: OutboxRow, outcome: str) -> None:
        """Nothing more is done about the question, so its trace is whole."""
        question = row.question
        self._telemetry.count("replies", surface=question.surface, outcome=outcome)
        with traced(question.id, self._record):
            whole(question.id, "question", question.asked_at, self._clock(),
                  question=question.id, surface=question.surface, outcome=outcome)

    def _fail(self, row: OutboxRow, reason: str, doubt: bool = False) -> None:
        _log.error("replies: question %s stays without an answer: %s", row.question.id, reason)
        then = self._afterwards.get(row.question.surface)
        self._ledger.outbox.fail(row, reason, self._clock(), then.failed(row, reason, doubt) if then else None)
        self._ended(row, "failed")

    def _put_off(self, row: OutboxRow, error: Exception, doubt: bool, posted: bool) -> None:
        """An outage does not count as an attempt; neither ends the row: somebody waits for it."""
        cause = cause_of(error)
        outage = isinstance(cause, OUTAGE)
        held = cause.conversation if isinstance(cause, ConversationDown) else ""
        if held:
            seconds = max(self._backoff.seconds(1), getattr(cause, "retry_after_s", None) or 0.0)
        elif isinstance(error, ReceiverDown):
            seconds = self._pause(row.question.surface, cause, f"surface {row.question.surface}")
        elif outage and not isinstance(error, AnsweringDown):
            seconds = self._pause(_EVERYTHING, cause, "")
        else:
            seconds = self._backoff.seconds(row.attempts + 1)
        _log.warning("replies: question %s waits %.1f s: %s", row.question.id, seconds, said(cause),
                     exc_info=None if outage else cause)
        due = self._clock() + timedelta(seconds=seconds)
        self._note(lambda: self._ledger.outbox.later(
            row, due, said(cause), posted=doubt, surely=posted, failed=not outage, conversation=held))

    def _note(self, change: Callable[[], object]) -> None:
        """What becomes of a row. A ledger that is away is told at the next step, not when the claim has run out."""
        self._owed = change
        change()
        self._owed = None

    def _pause(self, name: str, error: Exception, machine: str) -> float:
        seconds = self._pauses.down(name, self._clock(), getattr(error, "retry_after_s", None))
        self._telemetry.waits(f"replies to {name}", error, seconds, machine)
        return seconds

    def _up(self, name: str) -> None:
        if self._pauses.up(name):
            self._telemetry.goes_on(f"replies to {name}")
            _log.info("replies: %s goes on", name)
