"""A question from the log becomes one answer in the ledger, however often the question comes."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any, Protocol

from vouch.adapters.ledger import Ledger
from vouch.messages import QuestionAsked


class AnswerResult(Protocol):
    """What the corrective loop returns."""

    @property
    def answer(self) -> Any:
        """A pydantic model, or its JSON as a dict with `id`."""
        ...

    @property
    def candidates(self) -> Sequence[Mapping[str, Any]]: ...

    @property
    def given(self) -> Sequence[str]:
        """Ids of the chunks the writer was given."""
        ...


Answerer = Callable[[QuestionAsked], AnswerResult]
Decliner = Callable[[QuestionAsked, str], Any]
"""Makes the answer that says why there is none: question and reason → a pydantic model or dict."""


class QuestionHandler:
    """Inbox, answer, candidates and outbox are written in one transaction; the offset is committed after it."""

    def __init__(
        self,
        answerer: Answerer,
        decliner: Decliner,
        ledger: Ledger,
        clock: Callable[[], datetime],
        company: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`company` counts the questions that are being answered, for models that serve several at once."""
        self._answerer = answerer
        self._decliner = decliner
        self._ledger = ledger
        self._clock = clock
        self._company = company

    def handle(self, question: QuestionAsked) -> None:
        with self._company():
            self._answer(question)

    def _answer(self, question: QuestionAsked) -> None:
        if self._ledger.answers.answered(question.id):
            return
        if question.deadline is not None and self._clock() >= question.deadline:
            self._decline(question, too_late(question))
            return
        result = self._answerer(question)
        self._ledger.answers.record(
            question, as_json(result.answer), result.candidates, result.given, self._clock()
        )

    def give_up(self, question: QuestionAsked) -> None:
        self._decline(question, broken(question))

    def _decline(self, question: QuestionAsked, reason: str) -> None:
        self._ledger.answers.record(question, as_json(self._decliner(question, reason)), [], [], self._clock())


def as_json(answer: Any) -> dict[str, Any]:
    return dict(answer) if isinstance(answer, Mapping) else answer.model_dump(mode="json")


def too_late(question: QuestionAsked) -> str:
    return f"The time for this question had run out before it could be answered, id {question.id}."


def broken(question: QuestionAsked) -> str:
    """Says no more than that: the cause may tell of documents that this reader may not see."""
    return f"This question could not be answered: something failed inside vouch, id {question.id}."


def unsettled(question: QuestionAsked) -> str:
    return f"This question could not be answered: what may be read kept changing meanwhile, id {question.id}."
