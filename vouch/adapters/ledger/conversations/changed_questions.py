"""Questions that were changed or taken back: kept until answered, or for a day where that never comes.

That other words than those of now were answered is kept as long as the answer: whoever asks on there goes on from none.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vouch.adapters.ledger.answers.notices import NewNotice, put_notice
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import changed_questions, inbox, outbox
from vouch.filters import EVERYTHING, Filters

KEPT = timedelta(days=1)


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

    def put(self, change: ChangedQuestion, now: datetime) -> bool:
        """False where it changes nothing: the question is answered, was changed later, or was taken back."""
        mine = changed_questions.c.question_id == change.question_id
        with self._database.write(f"question/{change.question_id}") as connection:
            forget_old(connection, now)
            if connection.execute(select(inbox).where(inbox.c.question_id == change.question_id)).first():
                _note_too_late(connection, change, now)
                return False
            known = connection.execute(select(changed_questions).where(mine)).first()
            if known is not None and (known.text is None or (change.text is not None and known.at > change.at)):
                return False
            _put(connection, change, now)
        return True

    def find(self, question_id: str) -> ChangedQuestion | None:
        query = select(changed_questions).where(changed_questions.c.question_id == question_id)
        with self._database.read() as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        told = dict(row.filters)
        steps = told.pop("steps", None)
        return ChangedQuestion(question_id, row.text, row.at, Filters.model_validate(told), steps)

    def take_back(self, question_id: str, at: datetime, notice: NewNotice | None = None) -> bool:
        """From now on it counts as answered, without an answer; its words are gone, and the notice waits. False if it
        was done before: then there is no notice."""
        with self._database.write(f"question/{question_id}") as connection:
            known = connection.execute(select(inbox).where(inbox.c.question_id == question_id)).first()
            if known is None:
                connection.execute(insert(inbox).values(question_id=question_id, done_at=at))
                if notice is not None:
                    put_notice(connection, notice.id, notice.kind, notice.body, at)
            _forget(connection, question_id)
        return known is None

    def forget(self, question_id: str) -> None:
        """Its words are where its answer is. Where these are others than those of now, that is kept."""
        with self._database.write(f"question/{question_id}") as connection:
            _forget(connection, question_id)


def _written(change: ChangedQuestion) -> dict[str, Any]:
    """Both in one, as workers of before know filters alone."""
    told = change.filters.model_dump(mode="json")
    return told if change.steps is None else {**told, "steps": change.steps}


def _put(connection: Connection, change: ChangedQuestion, now: datetime) -> None:
    connection.execute(delete(changed_questions).where(changed_questions.c.question_id == change.question_id))
    connection.execute(insert(changed_questions).values(
        question_id=change.question_id, text=change.text, at=change.at, kept_at=now, filters=_written(change),
    ))  # fmt: skip


def _note_too_late(connection: Connection, change: ChangedQuestion, now: datetime) -> None:
    answered = _answered(connection, change.question_id)
    if answered is not None and answered != change.text:
        _put(connection, ChangedQuestion(change.question_id, None, change.at), now)


def _forget(connection: Connection, question_id: str) -> None:
    mine = changed_questions.c.question_id == question_id
    known = connection.execute(select(changed_questions).where(mine)).first()
    answered = _answered(connection, question_id)
    if known is None or answered is None or known.text == answered:
        connection.execute(delete(changed_questions).where(mine))
    else:
        connection.execute(update(changed_questions).where(mine).values(text=None))


def _answered(connection: Connection, question_id: str) -> str | None:
    """The words that were answered; None where none were."""
    query = select(outbox.c.question["text"].as_string()).where(outbox.c.question_id == question_id)
    return connection.execute(query).scalar_one_or_none()


def forget_old(connection: Connection, now: datetime) -> None:
    """Those that nobody will answer any more are gone, and those whose answers are."""
    answered = select(outbox.c.question_id).where(outbox.c.question_id == changed_questions.c.question_id)
    old = changed_questions.c.kept_at <= now - KEPT
    connection.execute(delete(changed_questions).where(old, ~answered.exists()))
