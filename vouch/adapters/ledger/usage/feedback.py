"""Votes on answers: one per person and answer, the last counts."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, feedback
from vouch.errors import NotFound


@dataclass(frozen=True, slots=True)
class Vote:
    answer_id: str
    person: str
    vote: str                           # up or down
    reason: str | None
    at: datetime
    category: str | None = None         # of the reason


class Feedback:
    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, vote: Vote) -> bool:
        """False if the person's vote of a later moment is there already. Raises NotFound for an unknown answer."""
        answer = select(answers.c.answer_id).where(answers.c.answer_id == vote.answer_id)
        with self._database.write(f"feedback/{vote.answer_id}/{vote.person}") as connection:
            # Held, so that the answer does not go between this look and the vote.
            if not connection.execute(answer.with_for_update(read=True, key_share=True)).first():
                raise NotFound(f"there is no answer {vote.answer_id!r}", cure="the id is in the answer's JSON")
            mine = (feedback.c.answer_id == vote.answer_id) & (feedback.c.person == vote.person)
            known = connection.execute(select(feedback.c.at).where(mine)).scalar_one_or_none()
            values = {"vote": vote.vote, "reason": vote.reason, "at": vote.at, "category": vote.category}
            if known is None:
                key = {"answer_id": vote.answer_id, "person": vote.person}
                connection.execute(insert(feedback).values(**key, **values))
            elif known > vote.at:
                return False
            else:
                connection.execute(update(feedback).where(mine).values(**values))
        return True

    def list(self, answer_id: str | None = None) -> list[Vote]:
        """By time; of one answer, or all."""
        fields = (feedback.c[name] for name in ("answer_id", "person", "vote", "reason", "at", "category"))
        query = select(*fields).order_by(feedback.c.at, feedback.c.answer_id, feedback.c.person)
        if answer_id is not None:
            query = query.where(feedback.c.answer_id == answer_id)
        with self._database.read() as connection:
            return [Vote(*row) for row in connection.execute(query)]
