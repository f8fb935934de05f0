"""Lets go of answers, with all that hangs on them, and of judgments, when old enough and nobody waits for them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, delete, func, or_, select

from vouch.adapters.ledger.answers.outbox import UNDER_WAY
from vouch.adapters.ledger.conversations.changed_questions import expire_changed, forget_old
from vouch.adapters.ledger.conversations.slack_changes import forget_changes
from vouch.adapters.ledger.conversations.slack_events import forget_events
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import (
    answer_steps,
    answers,
    candidates,
    feedback,
    handoffs,
    inbox,
    labels,
    outbox,
    posted,
    votes_given,
)
from vouch.adapters.ledger.operating.flow_runs import forget_flow_runs
from vouch.adapters.ledger.permissions.sign_ins import forget_ended
from vouch.adapters.ledger.removal.handed_over import expire_handed_over, expired_drafts
from vouch.adapters.ledger.usage.labels import TURN

_BATCH = 500                            # answers a transaction, so that writers wait for milliseconds


@dataclass(frozen=True, slots=True)
class Expired:
    answers: int
    candidates: int
    votes: int
    labels: int
    inbox: int
    drafts: int = 0


class Expiry:
    def __init__(self, database: Database) -> None:
        self._database = database

    def expired(self, answers_before: datetime, inbox_before: datetime) -> Expired:
        """What `expire` would delete."""
        ids = _old(answers_before)
        with self._database.read() as connection:
            return Expired(
                _count(connection, ids),
                _count(connection, select(candidates.c.id).where(candidates.c.answer_id.in_(ids))),
                _count(connection, select(feedback.c.person).where(feedback.c.answer_id.in_(ids))),
                _count(connection, select(labels.c.key).where(labels.c.answer_id.in_(ids)))
                + _count(connection, select(labels.c.key).where(_judged(answers_before))),
                _count(connection, _old_inbox(inbox_before, answers_before)),
                _count(connection, expired_drafts(answers_before)),
            )

    def expire(self, answers_before: datetime, inbox_before: datetime) -> Expired:
        """Deletes answers made before then, with all that hangs on them, unless they wait to be sent, and judgments.

        The ids of answered questions stay, so that a repeated question gets
        no second answer, until `inbox_before` and only once the answer is gone.
        """
        total = rows = votes = learned = 0
        while True:
            with self._database.write(TURN) as connection:
                query = _old(answers_before).limit(_BATCH).with_for_update()     # no vote comes in between
                ids = list(connection.execute(query).scalars())
                counts = _delete(connection, ids)
            total, rows, votes, learned = (a + b for a, b in zip((total, rows, votes, learned), counts, strict=True))
            if len(ids) < _BATCH:
                break
        learned += self._expire_judged(answers_before)
        with self._database.write() as connection:
            old = _old_inbox(inbox_before, answers_before)
            gone = connection.execute(delete(inbox).where(inbox.c.question_id.in_(old))).rowcount
            drafts = expire_handed_over(connection, answers_before)
            forget_old(connection, datetime.now(UTC))
            expire_changed(connection, answers_before)
            forget_ended(connection, datetime.now(UTC))
            forget_events(connection, datetime.now(UTC))
            forget_changes(connection, datetime.now(UTC))
            forget_flow_runs(connection, answers_before)
        return Expired(total, rows, votes, learned, gone, drafts)

    def _expire_judged(self, before: datetime) -> int:
        count = 0
        while True:
            with self._database.write(TURN) as connection:
                some = list(connection.execute(select(labels.c.key).where(_judged(before)).limit(_BATCH)).scalars())
                count += connection.execute(delete(labels).where(labels.c.key.in_(some))).rowcount
            if len(some) < _BATCH:
                return count


def _old(before: datetime) -> Select[Any]:
    waiting = select(outbox.c.question_id).where(outbox.c.state.in_(UNDER_WAY))
    return (
        select(answers.c.answer_id)
        .where(answers.c.made_at < before, answers.c.question_id.not_in(waiting))
        .order_by(answers.c.made_at)
    )


def _judged(before: datetime) -> ColumnElement[bool]:
    """Labels that hang on no answer."""
    return labels.c.answer_id.is_(None) & (labels.c.at < before)


def _old_inbox(before: datetime, answers_before: datetime) -> Select[Any]:
    """Ids that nothing else knows any more, or will not once the old answers are gone."""
    mine = inbox.c.question_id
    leaving = select(answers.c.question_id).where(answers.c.answer_id.in_(_old(answers_before)))
    alone = and_(mine.not_in(select(answers.c.question_id)), mine.not_in(select(outbox.c.question_id)))
    return select(mine).where(inbox.c.done_at < before, or_(alone, mine.in_(leaving)))


def _delete(connection: Connection, ids: list[str]) -> tuple[int, int, int, int]:
    """(answers, candidates, votes, labels) deleted."""
    questions = select(answers.c.question_id).where(answers.c.answer_id.in_(ids))
    connection.execute(delete(outbox).where(outbox.c.question_id.in_(questions)))
    connection.execute(delete(posted).where(posted.c.answer_id.in_(ids)))
    connection.execute(delete(handoffs).where(handoffs.c.answer_id.in_(ids)))
    connection.execute(delete(answer_steps).where(answer_steps.c.answer_id.in_(ids)))
    connection.execute(delete(votes_given).where(votes_given.c.answer_id.in_(ids)))
    votes = connection.execute(delete(feedback).where(feedback.c.answer_id.in_(ids))).rowcount
    rows = connection.execute(delete(candidates).where(candidates.c.answer_id.in_(ids))).rowcount
    learned = connection.execute(delete(labels).where(labels.c.answer_id.in_(ids))).rowcount
    return connection.execute(delete(answers).where(answers.c.answer_id.in_(ids))).rowcount, rows, votes, learned


def _count(connection: Connection, query: Select[Any]) -> int:
    return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())
