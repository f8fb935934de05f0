"""Messages that were changed or deleted, by the ids of their questions, whether they are questions or not.

The words of now are kept while a question waits, or for a day where no answer ever comes. That words which were asked,
there or again elsewhere, are not those of now is kept as long as answers are: nobody goes on from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import changed_questions, inbox, outbox
from vouch.adapters.ledger.notices import NewNotice, put_notice
from vouch.batches import batches
from vouch.filters import EVERYTHING, Filters
from vouch.messages import QuestionAsked

KEPT = timedelta(days=1)
AS_ANSWERED = ""                        # in the place of words that are where their answer is
_ROUNDED = timedelta(seconds=1)         # moments of edits may be whole seconds
_BATCH = 500
_Change = Row[Any]


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """As it was said at `at`; without `text` it was taken back."""

    question_id: str
    text: str | None
    at: datetime
    filters: Filters = EVERYTHING
    steps: int | None = None


class ChangedQuestions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, change: ChangedQuestion, now: datetime, notice: NewNotice | None = None) -> bool:
        """False where no question that waits is changed: it is answered, was changed later, or was taken back.

        What is taken back counts as answered from now on, and the notice waits.
        """
        with self._database.write(f"question/{change.question_id}") as connection:
            if change.text is not None:
                forget_old(connection, now)
            known = _find(connection, change.question_id)
            if known is not None and known.at > change.at:
                return False
            done = _is_done(connection, change.question_id)
            over = done or (known is not None and known.text is None)
            if change.text is None and not done:
                connection.execute(insert(inbox).values(question_id=change.question_id, done_at=now))
                if notice is not None:
                    put_notice(connection, notice.id, notice.kind, notice.body, now)
            elif over:
                same = change.text is not None and change.text == _answered(connection, change.question_id)
                change = replace(change, text=AS_ANSWERED if same else None)
            _put(connection, change, now)
        return not over

    def find(self, question_id: str) -> ChangedQuestion | None:
        with self._database.read() as connection:
            row = _find(connection, question_id)
        if row is None:
            return None
        told = dict(row.filters)
        steps = told.pop("steps", None)
        return ChangedQuestion(question_id, row.text, row.at, Filters.model_validate(told), steps)

    def changed_at(self, question_id: str) -> datetime | None:
        """When its message changed last, as far as anybody told."""
        with self._database.read() as connection:
            row = _find(connection, question_id)
        return None if row is None else row.at

    def is_gone(self, question: QuestionAsked) -> bool:
        """As `gone_among`."""
        with self._database.read() as connection:
            return bool(gone_among(connection, [question]))

    def take_back(self, question_id: str, at: datetime, notice: NewNotice | None = None) -> bool:
        """From now on it counts as answered, without an answer; its words are gone, and the notice waits. False if it
        was done before: then there is no notice."""
        with self._database.write(f"question/{question_id}") as connection:
            done = _is_done(connection, question_id)
            if not done:
                connection.execute(insert(inbox).values(question_id=question_id, done_at=at))
                if notice is not None:
                    put_notice(connection, notice.id, notice.kind, notice.body, at)
            _forget(connection, question_id)
        return not done

    def forget(self, question_id: str) -> None:
        """Its words are where its answer is. Where these are others than those of now, that is kept."""
        with self._database.write(f"question/{question_id}") as connection:
            _forget(connection, question_id)


def gone_among(connection: Connection, questions: Sequence[QuestionAsked]) -> set[str]:
    """Ids of those with words of a message that is deleted, or says something else than what was asked."""
    changes: dict[str, _Change] = {}
    for some in batches(sorted({name for one in questions for name in one.messages}), _BATCH):
        rows = connection.execute(select(changed_questions).where(changed_questions.c.question_id.in_(some)))
        changes |= {row.question_id: row for row in rows}
    return {one.id for one in questions
            if any(_says_else(changes[name], one) for name in one.messages if name in changes)}


def _says_else(change: _Change, question: QuestionAsked) -> bool:
    """What was asked again has the words of the moment when it was."""
    if question.words_of:
        return bool(change.at + _ROUNDED > question.asked_at)
    return change.text is None or change.text not in (AS_ANSWERED, question.text)


def _find(connection: Connection, question_id: str) -> _Change | None:
    return connection.execute(select(changed_questions).where(changed_questions.c.question_id == question_id)).first()


def _is_done(connection: Connection, question_id: str) -> bool:
    return connection.execute(select(inbox).where(inbox.c.question_id == question_id)).first() is not None


def _put(connection: Connection, change: ChangedQuestion, now: datetime) -> None:
    connection.execute(delete(changed_questions).where(changed_questions.c.question_id == change.question_id))
    connection.execute(insert(changed_questions).values(
        question_id=change.question_id, text=change.text, at=change.at, kept_at=now, filters=_written(change),
    ))  # fmt: skip


def _written(change: ChangedQuestion) -> dict[str, Any]:
    """Both in one, as workers of before know filters alone."""
    told = change.filters.model_dump(mode="json")
    return told if change.steps is None else {**told, "steps": change.steps}


def _forget(connection: Connection, question_id: str) -> None:
    known = _find(connection, question_id)
    if known is not None and known.text:
        left = AS_ANSWERED if known.text == _answered(connection, question_id) else None
        mine = changed_questions.c.question_id == question_id
        connection.execute(update(changed_questions).where(mine).values(text=left))


def _answered(connection: Connection, question_id: str) -> str | None:
    """The words that were answered; None where none were."""
    query = select(outbox.c.question["text"].as_string()).where(outbox.c.question_id == question_id)
    return connection.execute(query).scalar_one_or_none()


def forget_old(connection: Connection, now: datetime) -> None:
    """Words that nobody will answer any more are gone."""
    with_words = changed_questions.c.text.is_not(None) & (changed_questions.c.text != AS_ANSWERED)
    answered = select(outbox.c.question_id).where(outbox.c.question_id == changed_questions.c.question_id)
    old = changed_questions.c.kept_at <= now - KEPT
    connection.execute(update(changed_questions).where(old, with_words, ~answered.exists()).values(text=None))


def expire_changed(connection: Connection, answers_before: datetime) -> None:
    """No answer is left whose words these were: they were recorded before that."""
    connection.execute(delete(changed_questions).where(changed_questions.c.kept_at < answers_before - KEPT))
