"""What was asked and answered before in the same thread."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, outbox
from vouch.messages import QuestionAsked

_LATER = 20                             # answers after it that are looked past, where a question is answered anew


@dataclass(frozen=True, slots=True)
class EarlierQuestion:
    question: QuestionAsked
    answer: Mapping[str, Any]


class Threads:
    def __init__(self, database: Database) -> None:
        self._database = database

    def earlier(self, question: QuestionAsked, within: timedelta, limit: int) -> list[EarlierQuestion]:
        """The questions of its thread on its surface that were answered and asked before it, newest first.

        Whether its readers may know of them is not looked at.
        """
        if question.thread is None:
            return []
        query = (
            select(outbox.c.question, answers.c.body)
            .join(answers, answers.c.question_id == outbox.c.question_id)
            .where(outbox.c.thread == question.thread, outbox.c.surface == question.surface)
            .order_by(answers.c.made_at.desc(), outbox.c.question_id)
            .limit(limit + _LATER)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        found = [EarlierQuestion(QuestionAsked.model_validate(row.question), row.body) for row in rows]
        since, until = question.asked_at - within, question.asked_at
        before = [one for one in found if one.question.id != question.id and since <= one.question.asked_at <= until]
        return sorted(before, key=lambda one: one.question.asked_at, reverse=True)[:limit]
