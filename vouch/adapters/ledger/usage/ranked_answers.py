"""Answers with their candidates and votes: what a shadow is compared by."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, candidates, feedback, outbox
from vouch.answering.answer import searched_for
from vouch.batches import batches
from vouch.learning.promotion.shadowing import RankedAnswer

_FIELDS = ("answer_id", "chunk_id", "fused_rank", "rerank_rank", "expansion", "cited", "schema", "features")
_ASKER = outbox.c.question["asker"].as_string().label("asker")
_UNREADABLE = (ValueError, RecursionError, KeyError, TypeError, AttributeError)     # what is in a row
_BATCH = 50                             # answers, each with some hundred candidates


class RankedAnswers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, since: datetime, schema: int, per_asker: int) -> int:
        """Answers made since then whose candidates have features of this schema, to each asker `per_asker` at most."""
        ranked = (candidates.c.answer_id == answers.c.answer_id) & (candidates.c.schema == schema)
        query = (
            select(_ASKER, func.count().label("number"))
            .select_from(answers)
            .outerjoin(outbox, outbox.c.question_id == answers.c.question_id)
            .where(answers.c.made_at >= since, select(candidates.c.id).where(ranked).exists())
            .group_by("asker")
        )
        with self._database.read() as connection:
            return sum(min(row.number, per_asker) for row in connection.execute(query))

    def since(self, at: datetime, most: int) -> Iterator[RankedAnswer]:
        """Those made since then, newest first, of one moment by id; read in batches: memory holds a few of them.

        One with rows that cannot be read is left out.
        """
        newest = (
            select(answers.c.answer_id)
            .where(answers.c.made_at >= at)
            .order_by(answers.c.made_at.desc(), answers.c.answer_id.desc())
        )
        with self._database.read() as connection:
            ids = connection.execute(newest.limit(most)).scalars().all()
        for some in batches(ids, _BATCH):
            yield from self._readable(some)

    def _readable(self, ids: Sequence[str]) -> list[RankedAnswer]:
        try:
            with self._database.read() as connection:
                return _ranked(connection, ids)
        except _UNREADABLE:
            half = len(ids) // 2
            return [*self._readable(ids[:half]), *self._readable(ids[half:])] if half else []


def _ranked(connection: Connection, ids: Sequence[str]) -> list[RankedAnswer]:
    asked = select(answers.c.answer_id, answers.c.body, _ASKER).outerjoin(
        outbox, outbox.c.question_id == answers.c.question_id
    )
    records = connection.execute(asked.where(answers.c.answer_id.in_(ids))).all()
    bodies, askers = {row.answer_id: row.body for row in records}, {row.answer_id: row.asker for row in records}
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    fields = (candidates.c[name] for name in _FIELDS)
    query = select(*fields).where(candidates.c.answer_id.in_(ids)).order_by(candidates.c.id)
    for candidate in connection.execute(query).mappings():
        rows[candidate["answer_id"]].append(dict(candidate))
    votes: dict[str, dict[str, int]] = defaultdict(dict)
    vote_query = select(feedback.c.answer_id, feedback.c.person, feedback.c.vote).where(feedback.c.answer_id.in_(ids))
    for row in connection.execute(vote_query):
        votes[row.answer_id][row.person] = 1 if row.vote == "up" else -1
    return [
        RankedAnswer(searched_for(body) or body["question"], body.get("fused_by", ""), rows[name],
                     askers[name] or "public", votes[name])
        for name in ids if (body := bodies.get(name)) is not None
    ]
