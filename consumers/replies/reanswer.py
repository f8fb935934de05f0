"""Another answer instead of one that may not, or cannot, be sent: made again, or a plain decline."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from consumers.monitoring.telemetry import Telemetry
from consumers.questions.handler import (
    GONE,
    READERS_UNSETTLED,
    TOO_LATE,
    Answerer,
    AnswerResult,
    Decliner,
    as_json,
    made_and_recorded,
    without_words,
)
from consumers.replies.posting import DeliveryError
from consumers.resilience import OUTAGE
from vouch.adapters.ledger import Ledger, OutboxRow
from vouch.messages import QuestionAsked


class AnsweringDown(DeliveryError):
    """This answer cannot be made anew now; others can be sent meanwhile."""


class AnswerReplacer:
    """Takes the place of the row's answer in the ledger; after `most` times that is a decline, the last one."""

    def __init__(
        self,
        ledger: Ledger,
        answerer: Answerer,
        decliner: Decliner,
        clock: Callable[[], datetime],
        telemetry: Telemetry,
        most: int,
    ) -> None:
        self._ledger = ledger
        self._answerer = answerer
        self._decliner = decliner
        self._clock = clock
        self._telemetry = telemetry
        self._most = most

    def declined(self, row: OutboxRow) -> bool:
        """Whether the row holds the last one already."""
        return row.rechecks > self._most

    def answer(self, row: OutboxRow) -> None:
        """Raises AnsweringDown while a machine is."""
        question = row.question
        if self._ledger.changed.is_gone(question):
            self.decline(row, GONE)
        elif row.rechecks >= self._most:
            self.decline(row, READERS_UNSETTLED)
        elif question.deadline is not None and self._clock() >= question.deadline:
            self.decline(row, TOO_LATE)
        else:
            made_and_recorded(self._ledger, partial(self._made, question), partial(self._put, row))
            self._telemetry.count("replies", surface=question.surface, outcome="answered anew")

    def _made(self, question: QuestionAsked) -> AnswerResult:
        try:
            return self._answerer(question)
        except OUTAGE as error:
            raise AnsweringDown from error

    def _put(self, row: OutboxRow, result: AnswerResult, began: int) -> None:
        self._ledger.outbox.replace(
            row, as_json(result.answer), result.candidates, result.given, self._clock(), row.rechecks + 1, began,
            result.steps,
        )

    def decline(self, row: OutboxRow, reason: str) -> None:
        question = without_words(row.question) if reason == GONE else row.question
        answer = as_json(self._decliner(question, reason))
        self._ledger.outbox.replace(row, answer, [], [], self._clock(), self._most + 1)
        self._telemetry.count("replies", surface=row.question.surface, outcome="declined")
