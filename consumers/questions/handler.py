"""A question from the log becomes one answer in the ledger, however often it comes, and a vote is counted."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol, TypeVar

from vouch.access import PUBLIC
from vouch.adapters.ledger import Ledger, Vote
from vouch.answering.answer import REMOVED
from vouch.errors import BadMessage, Busy, Overtaken
from vouch.messages import HTTP, FeedbackGiven, QuestionAsked
from vouch.plurals import count
from vouch.trace import Recorder, span, traced


def as_it_stands(ledger: Ledger, question: QuestionAsked, now: datetime) -> QuestionAsked | None:
    """With the words of now; None if it was taken back, and then it counts as answered."""
    changed = ledger.changed.find(question.id)
    if changed is None:
        return question
    if not changed.text:
        ledger.changed.take_back(question.id, now)
        return None
    return question.model_copy(update={"text": changed.text, "filters": changed.filters, "steps": changed.steps})


T = TypeVar("T")
_TRIES = 3
_AHEAD = timedelta(minutes=1)           # that the clock of another machine may be


def made_and_recorded(ledger: Ledger, make: Callable[[], T], record: Callable[[T, int], object]) -> None:
    """`record` gets what `make` made, and how many purges had looked for answers before that.

    Raises Busy if documents are purged again and again.
    """
    for _ in range(_TRIES):
        began = ledger.answers.erasures()
        result = make()
        try:
            record(result, began)
            return
        except Overtaken:
            continue
    raise Busy("documents are being purged all the time", cure="it is tried again")


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

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        """Further ones that were taken, as the ledger keeps them."""
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
        active: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        served: Collection[str] | None = None,
        per_minute: int = 0,
        record: Recorder | None = None,
    ) -> None:
        """`active` counts the questions that are being answered, for models that serve several at once.

        With `served`, the surfaces that any process serves, a question from
        elsewhere is not answered, as nobody could be told. With `per_minute`,
        more questions of one asker are declined. `record` takes the spans.
        """
        self._answerer = answerer
        self._decliner = decliner
        self._ledger = ledger
        self._clock = clock
        self._active = active
        self._served = served
        self._per_minute = per_minute
        self._record = record

    def handle(self, question: QuestionAsked) -> None:
        """Raises BadMessage for a question whose surface nobody serves."""
        with traced(question.id, self._record), span("answer", question=question.id, surface=question.surface):
            self._handle(question)

    def _handle(self, question: QuestionAsked) -> None:
        if self._served is not None and question.surface not in self._served:
            raise BadMessage(
                f"no process serves the surface {question.surface!r:.60}",
                cure="name it in VOUCH_WORKER__SURFACES if another process does, then replay",
            )
        with self._active():
            self._answer(question)

    def _answer(self, asked: QuestionAsked) -> None:
        if not self._ledger.answers.answered(asked.id):
            question = as_it_stands(self._ledger, asked, self._clock())
            if question is not None:
                self._answer_once(question)
        self._forget_changes(asked.id)

    def _answer_once(self, question: QuestionAsked) -> None:
        if self._ledger.changed.is_gone(question):
            self._decline(without_words(question), GONE)
            return
        if question.deadline is not None and self._clock() >= question.deadline:
            self._decline(question, TOO_LATE)
            return
        wait = self._wait(question)
        if wait:
            self._decline(question, too_many(self._per_minute, wait))
            return
        made_and_recorded(self._ledger, partial(self._answerer, question), partial(self._keep, question))

    def _keep(self, question: QuestionAsked, result: AnswerResult, began: int) -> None:
        if question.words_of and self._ledger.changed.is_gone(question):    # meanwhile
            self._decline(without_words(question), GONE)
            return
        with span("record"):
            self._ledger.answers.record(
                question, as_json(result.answer), result.candidates, result.given, self._clock(), began,
                result.steps,
            )

    def give_up(self, asked: QuestionAsked) -> None:
        question = as_it_stands(self._ledger, asked, self._clock())
        if question is not None:
            self._decline(question, BROKEN)
        self._forget_changes(asked.id)

    def _forget_changes(self, question_id: str) -> None:
        """Also those that came while it was answered."""
        if self._ledger.changed.find(question_id) is not None:
            self._ledger.changed.forget(question_id)

    def _wait(self, question: QuestionAsked) -> timedelta:
        """How long this asker would have to wait for another question; counted by when they were asked."""
        if not self._per_minute or (question.surface == HTTP and question.asker == PUBLIC):
            return timedelta(0)                 # the service counts strangers by address, before they may ask
        asked_at = min(question.asked_at, self._clock())
        return self._ledger.pace.admit(question.id, question.asker, asked_at, self._per_minute)

    def _decline(self, question: QuestionAsked, reason: str) -> None:
        self._ledger.answers.record(question, as_json(self._decliner(question, reason)), [], [], self._clock())


def without_words(question: QuestionAsked) -> QuestionAsked:
    return question.model_copy(update={"text": REMOVED})


def as_json(answer: Any) -> dict[str, Any]:
    return dict(answer) if isinstance(answer, Mapping) else answer.model_dump(mode="json")


TOO_LATE = "This question was not answered in time. Please ask it again."


def too_many(most: int, wait: timedelta) -> str:
    return (
        f"You have asked {count(most, 'question')} within a minute, which is as many as vouch accepts from one person."
        f" Please ask again in {count(max(1, math.ceil(wait.total_seconds())), 'second')}."
    )


BROKEN = "This question could not be answered: something failed inside vouch."
"""Says no more than that: the cause may tell of documents that this reader may not see."""
GONE = "The message was deleted or changed meanwhile, so this was not answered."
READERS_UNSETTLED = "This question could not be answered: what may be read kept changing meanwhile."


class FeedbackHandler:
    def __init__(self, ledger: Ledger, clock: Callable[[], datetime]) -> None:
        self._ledger, self._clock = ledger, clock

    def handle(self, given: FeedbackGiven) -> None:
        """A vote dated ahead is of now. Raises NotFound for an answer that does not exist."""
        now = self._clock()
        at = given.at if given.at <= now + _AHEAD else now
        self._ledger.feedback.record(Vote(
            given.answer_id, given.person, given.vote, given.reason, at, given.category, given.reaction,
            given.withdrawn,
        ))  # fmt: skip

    def give_up(self, given: FeedbackGiven) -> None:
        """Nobody waits for the outcome of a vote; the dead topic keeps it."""
