"""What one person has asked, as it was answered and sent. It checks nobody's permissions."""

import re
from datetime import datetime
from typing import Any

from sqlalchemy import Select, or_, select

from vouch.adapters.ledger.answers.sent_answers import SentAnswer
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, outbox
from vouch.messages import QuestionAsked

_BEGINNING = re.compile(r"[0-9a-f]{6,31}")


class AskedBy:
    def __init__(self, database: Database) -> None:
        self._database = database

    def recent(self, asker: str, surface: str, since: datetime, limit: int) -> list[SentAnswer]:
        """The latest questions of this person there that were answered since, the newest first."""
        query = _sent().where(outbox.c.question["asker"].as_string() == asker, outbox.c.surface == surface,
                              answers.c.made_at >= since)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(answers.c.made_at.desc()).limit(limit)).all()
        return [_answer(row) for row in rows]

    def find(self, named: str) -> SentAnswer | None:
        """The answer with this id, or the only one whose id begins so; None if there is none, or it waits."""
        mine = answers.c.answer_id == named
        if _BEGINNING.fullmatch(named):
            mine = or_(mine, answers.c.answer_id.startswith(named))
        with self._database.read() as connection:
            rows = connection.execute(_sent().where(mine).limit(2)).all()
        return _answer(rows[0]) if len(rows) == 1 else None


def _sent() -> Select[Any]:
    return (
        select(outbox.c.question, outbox.c.given, answers.c.body)
        .join(answers, answers.c.question_id == outbox.c.question_id)
        .where(outbox.c.state == "sent")
    )


def _answer(row: Any) -> SentAnswer:
    return SentAnswer(QuestionAsked.model_validate(row.question), dict(row.body), tuple(row.given))
