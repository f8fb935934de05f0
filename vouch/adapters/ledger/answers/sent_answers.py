"""Answers that were sent, with what must be looked at before one is shown again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import or_, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, outbox, posted
from vouch.messages import QuestionAsked


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """`given`: ids of all chunks that the answer was made from; each must be visible to whoever sees it."""

    question: QuestionAsked
    body: Mapping[str, Any]
    given: tuple[str, ...]


class SentAnswers:
    """Of surfaces whose answers are read from the ledger. It checks nobody's permissions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, named: str) -> SentAnswer | None:
        """The answer with this id, or to the question with this id; None if there is none, or it waits to be sent."""
        query = _SENT.where(or_(answers.c.answer_id == named, answers.c.question_id == named))
        with self._database.read() as connection:
            row = connection.execute(query).first()
        return None if row is None else _sent(row)

    def of_asker(self, asker: str, surface: str, limit: int) -> list[SentAnswer]:
        """What somebody asked last by a surface, newest first."""
        query = (
            _SENT.where(outbox.c.surface == surface, outbox.c.question["asker"].as_string() == asker)
            .order_by(answers.c.made_at.desc(), answers.c.answer_id)
            .limit(limit)
        )
        with self._database.read() as connection:
            return [_sent(row) for row in connection.execute(query)]


def _sent(row: Any) -> SentAnswer:
    return SentAnswer(QuestionAsked.model_validate(row.question), dict(row.body), tuple(row.given))


_SENT = (
    select(outbox.c.question, outbox.c.given, answers.c.body)
    .join(answers, answers.c.question_id == outbox.c.question_id)
    .join(posted, posted.c.answer_id == answers.c.answer_id)
)
