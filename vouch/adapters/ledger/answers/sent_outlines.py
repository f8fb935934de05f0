"""Sent answers in a list, with none of their words and nothing of who asked."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import literal, select, tuple_

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, outbox, posted
from vouch.answering.answer import REMOVED

Position = tuple[datetime, str]         # when an answer was made, and its id


@dataclass(frozen=True, slots=True)
class SentOutline:
    """`verdict` is None where nothing was judged; `ms` what the whole answer took, None if that was not noted."""

    id: str
    at: datetime
    action: str
    verdict: str | None
    ms: float | None


class SentOutlines:
    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, limit: int, before: Position | None = None) -> list[SentOutline]:
        """The newest first, of all or of those made before that one; those that were emptied by a purge are left out.
        """
        made, name, body = answers.c.made_at, answers.c.answer_id, answers.c.body
        query = (
            select(name, made, body["action"].as_string(), body[("verdict", "kind")].as_string(),
                   body[("timings_ms", "total")].as_float())
            .join(outbox, outbox.c.question_id == answers.c.question_id)
            .join(posted, posted.c.answer_id == name)
            .where(outbox.c.question["text"].as_string() != REMOVED)
            .order_by(made.desc(), name.desc())
            .limit(limit)
        )
        if before is not None:
            at, last = literal(before[0], made.type), literal(before[1], name.type)
            query = query.where(tuple_(made, name) < tuple_(at, last))
        with self._database.read() as connection:
            return [SentOutline(*row) for row in connection.execute(query)]
