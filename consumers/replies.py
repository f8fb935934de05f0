"""Brings answers from the outbox to their surface: once each, and only what its readers may still read."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from consumers.backoff import Backoff
from consumers.questions import Answerer, Decliner, as_json, broken, too_late, unsettled
from vouch.adapters.ledger import Ledger, OutboxRow
from vouch.errors import Busy, Denied, Unavailable
from vouch.messages import AnswerReady, AudienceRef, encode, key_of, topic_of
from vouch.ports import Delivery, Producer, Surface

_log = logging.getLogger(__name__)
_OUTAGE = (Unavailable, Busy)


class _Refused(Exception):
    """The surface will never take it."""


class ReplySender:
    """`still_visible` resolves the audience anew and tells whether it may read every one of the chunks now.

    An answer whose chunks are not goes back through `answerer`; after
    `max_rechecks` of them, or `max_attempts` failures, the question is declined.
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
    ) -> None:
        self._ledger = ledger
        self._still_visible = still_visible
        self._answerer = answerer
        self._decliner = decliner
        self._surfaces = surfaces
        self._producer = producer
        self._clock = clock
        self._lease = lease
        self._max_rechecks = max_rechecks
        self._max_attempts = max_attempts
        self._backoff = backoff or Backoff()

    def run(self, stop: threading.Event, *, idle_s: float = 0.1) -> None:
        """Sends until `stop` is set; waits out an outage of the ledger."""
        outages = 0
        while not stop.is_set():
            try:
                if not self.step():
                    stop.wait(idle_s)
                outages = 0
            except _OUTAGE as error:
                outages += 1
                _log.warning("replies: waiting: %s", error)
                stop.wait(self._backoff.seconds(outages))

    def step(self) -> bool:
        """Takes one answer as far as it gets. False when none is due."""
        rows = self._ledger.outbox.claim(list(self._surfaces), self._clock(), self._lease, limit=1)
        for row in rows:
            self._send(row)
        return bool(rows)

    def _send(self, row: OutboxRow) -> None:
        surface = self._surfaces[row.question.surface]
        delivery = Delivery(row.question.id, row.question.thread, row.answer)
        posted = row.doubt
        try:
            if not (row.doubt and surface.has(delivery)):
                posted = False
                if row.attempts >= self._max_attempts:
                    self._end(row)
                    return
                if row.given and not self._still_visible(row.question.audience, row.given):
                    self._answer_anew(row)
                    return
                posted = True           # until the row says that it is, or a later look says that it is not
                self._post(surface, delivery)
            self._announce(row)
        except _Refused as error:
            _log.error("replies: question %s can never be posted: %s", row.question.id, error)
            self._ledger.outbox.fail(row, str(error))
        except Exception as error:
            self._put_off(row, error, posted)
        else:
            self._ledger.outbox.sent(row, self._clock())

    def _post(self, surface: Surface, delivery: Delivery) -> None:
        try:
            surface.post(delivery)
        except Denied as error:
            raise _Refused(str(error)) from error

    def _answer_anew(self, row: OutboxRow) -> None:
        question = row.question
        if row.rechecks >= self._max_rechecks:
            self._decline(row, unsettled(question))
        elif question.deadline is not None and self._clock() >= question.deadline:
            self._decline(row, too_late(question))
        else:
            result = self._answerer(question)
            self._ledger.outbox.replace(
                row, as_json(result.answer), result.candidates, result.given, self._clock(), row.rechecks + 1
            )

    def _end(self, row: OutboxRow) -> None:
        """After too many failures a plain decline is tried instead; if that fails as often, nothing is."""
        if row.rechecks > self._max_rechecks:
            _log.error("replies: question %s stays without an answer", row.question.id)
            self._ledger.outbox.fail(row, "the surface takes neither the answer nor a decline")
        else:
            self._decline(row, broken(row.question))

    def _decline(self, row: OutboxRow, reason: str) -> None:
        answer = as_json(self._decliner(row.question, reason))
        self._ledger.outbox.replace(row, answer, [], [], self._clock(), self._max_rechecks + 1)

    def _announce(self, row: OutboxRow) -> None:
        question = row.question
        message = AnswerReady(
            question_id=question.id, answer_id=row.answer["id"], surface=question.surface,
            audience=question.audience, thread=question.thread, sent_at=self._clock(),
        )  # fmt: skip
        self._producer.send(topic_of(message), key_of(message), encode(message))

    def _put_off(self, row: OutboxRow, error: Exception, posted: bool) -> None:
        """An outage does not count as an attempt; neither ends the row: somebody waits for it."""
        outage = isinstance(error, _OUTAGE)
        _log.warning("replies: question %s: %s", row.question.id, error, exc_info=not outage)
        wait = timedelta(seconds=self._backoff.seconds(row.attempts + 1))
        note = f"{type(error).__name__}: {error}"
        self._ledger.outbox.later(row, self._clock() + wait, note, posted=posted, failed=not outage)
