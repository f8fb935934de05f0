"""Votes on answers, one per person and answer, and what people found wrong."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, feedback, votes_given
from vouch.adapters.ledger.usage.past_answers import Place, documents_of
from vouch.errors import NotFound


class Complaints:
    """It checks nobody's permissions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def reasons(self, since: datetime, until: datetime) -> dict[str, int]:
        """Category → votes down of that time that named it."""
        query = (
            select(feedback.c.category, func.count())
            .where(feedback.c.at >= since, feedback.c.at < until, feedback.c.category.is_not(None))
            .group_by(feedback.c.category)
        )
        with self._database.read() as connection:
            return {str(row[0]): int(row[1]) for row in connection.execute(query)}

    def outdated(self, since: datetime, until: datetime) -> Counter[Place]:
        """Documents cited in answers that were called outdated in that time → in how many answers; of the web none."""
        called = select(feedback.c.answer_id).where(
            feedback.c.category == "outdated", feedback.c.at >= since, feedback.c.at < until)
        with self._database.read() as connection:
            bodies = list(connection.execute(select(answers.c.body).where(answers.c.answer_id.in_(called))).scalars())
        return documents_of(body.get("citations", ()) for body in bodies)


@dataclass(frozen=True, slots=True)
class Vote:
    """`reaction`: by which one it was given, if by any. `withdrawn`: at this moment that one was taken back."""

    answer_id: str
    person: str
    vote: str                           # up or down
    reason: str | None
    at: datetime
    category: str | None = None         # of the reason
    reaction: str = ""
    withdrawn: bool = False


class Feedback:
    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, vote: Vote) -> bool:
        """False if the person's vote of a later moment is there already. Raises NotFound for an unknown answer.

        If a vote is withdrawn the person's former one counts again, without the words of its reason, or none does.
        """
        answer = select(answers.c.answer_id).where(answers.c.answer_id == vote.answer_id)
        with self._database.write(f"feedback/{vote.answer_id}/{vote.person}") as connection:
            # Held, so that the answer does not go between this look and the vote.
            if not connection.execute(answer.with_for_update(read=True, key_share=True)).first():
                raise NotFound(f"there is no answer {vote.answer_id!r}", cure="the id is in the answer's JSON")
            current = connection.execute(select(feedback).where(_mine(feedback, vote))).first()
            _adopt(connection, vote, current)
            return _give(connection, vote) and _settle(connection, vote, current)

    def list(self, answer_id: str | None = None) -> list[Vote]:
        """By time; of one answer, or all."""
        fields = (feedback.c[name] for name in ("answer_id", "person", "vote", "reason", "at", "category"))
        query = select(*fields).order_by(feedback.c.at, feedback.c.answer_id, feedback.c.person)
        if answer_id is not None:
            query = query.where(feedback.c.answer_id == answer_id)
        with self._database.read() as connection:
            return [Vote(*row) for row in connection.execute(query)]


def _mine(table: Any, vote: Vote) -> Any:
    return (table.c.answer_id == vote.answer_id) & (table.c.person == vote.person)


def _adopt(connection: Connection, vote: Vote, current: Any) -> None:
    """The vote of an earlier release, which kept only the one that counts."""
    if current is None or connection.execute(select(votes_given.c.at).where(_mine(votes_given, vote))).first():
        return
    connection.execute(insert(votes_given).values(
        answer_id=vote.answer_id, person=vote.person, reaction="", vote=current.vote, category=current.category,
        at=current.at, withdrawn=False,
    ))  # fmt: skip


def _give(connection: Connection, vote: Vote) -> bool:
    """False if something later is known of this reaction, or of what is none."""
    mine = _mine(votes_given, vote) & (votes_given.c.reaction == vote.reaction)
    known = connection.execute(select(votes_given.c.at).where(mine)).scalar_one_or_none()
    values = {"vote": vote.vote, "category": vote.category, "at": vote.at, "withdrawn": vote.withdrawn}
    if known is None:
        key = {"answer_id": vote.answer_id, "person": vote.person, "reaction": vote.reaction}
        connection.execute(insert(votes_given).values(**key, **values))
    elif known > vote.at:
        return False
    else:
        connection.execute(update(votes_given).where(mine).values(**values))
    return True


def _settle(connection: Connection, vote: Vote, current: Any) -> bool:
    """What counts by now; False if that is another vote than the one that was just given."""
    standing = _mine(votes_given, vote) & ~votes_given.c.withdrawn
    counts = connection.execute(
        select(votes_given).where(standing).order_by(votes_given.c.at.desc(), votes_given.c.reaction).limit(1)
    ).first()
    mine = _mine(feedback, vote)
    if counts is None:
        connection.execute(delete(feedback).where(mine))
        return True
    vote_stands = not vote.withdrawn and counts.reaction == vote.reaction
    same = current is not None and (current.vote, current.at) == (counts.vote, counts.at)
    reason = vote.reason if vote_stands else current.reason if same else None
    values = {"vote": counts.vote, "reason": reason, "at": counts.at, "category": counts.category}
    if current is None:
        key = {"answer_id": vote.answer_id, "person": vote.person}
        connection.execute(insert(feedback).values(**key, **values))
    else:
        connection.execute(update(feedback).where(mine).values(**values))
    return vote_stands or vote.withdrawn
