"""Answers with their candidates and votes: what a shadow is compared by."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, candidates, feedback, outbox
from vouch.adapters.ledger.engine.stored_json import WholeJson
from vouch.answering.answer import searched_for
from vouch.batches import batches
from vouch.learning.promotion.shadowing import RankedAnswer

_FIELDS = ("answer_id", "chunk_id", "fused_rank", "rerank_rank", "expansion", "cited", "schema", "features")
_ASKER = WholeJson(outbox.c.question)["asker"].as_string().label("asker")
_FUSED_BY = WholeJson(answers.c.body)["fused_by"].as_string()
_UNREADABLE = (ValueError, RecursionError, KeyError, TypeError, AttributeError)     # what is in a row
_BATCH = 50                             # answers, each with some hundred candidates


class RankedAnswers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def counted(
        self, at: datetime, by: Collection[str], schema: int, per_asker: int, most: int
    ) -> list[datetime]:
        """When those were made, oldest first, that one of `by` fused since then, with features of this schema.

        Of the answers to each asker the first `per_asker` count; at most `most` in all.
        """
        ranked = (candidates.c.answer_id == answers.c.answer_id) & (candidates.c.schema == schema)
        query = (
            select(answers.c.made_at, _ASKER)
            .outerjoin(outbox, outbox.c.question_id == answers.c.question_id)
            .where(answers.c.made_at >= at, _FUSED_BY.in_(by), select(candidates.c.id).where(ranked).exists())
            .order_by(answers.c.made_at, answers.c.answer_id)
        )
        found, askers = list[datetime](), Counter[str | None]()
        with self._database.read() as connection:
            for made_at, asker in connection.execution_options(yield_per=_BATCH).execute(query):
                if len(found) == most:
                    break
                askers[asker] += 1
                if askers[asker] <= per_asker:
                    found.append(made_at)
        return found

    def any_since(self, at: datetime) -> bool:
        """Whether any answer was made then or later."""
        query = select(answers.c.answer_id).where(answers.c.made_at >= at).limit(1)
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    def since(
        self, at: datetime, by: Collection[str], most: int, until: datetime | None = None
    ) -> Iterator[RankedAnswer]:
        """Those made since then that one of `by` fused, newest first, of one moment by id; read in batches: memory
        holds a few of them. With `until` nothing that was made or voted later.

        One with rows that cannot be read is left out.
        """
        newest = (
            select(answers.c.answer_id)
            .where(answers.c.made_at >= at, _FUSED_BY.in_(by))
            .order_by(answers.c.made_at.desc(), answers.c.answer_id.desc())
        )
        if until is not None:
            newest = newest.where(answers.c.made_at <= until)
        with self._database.read() as connection:
            ids = connection.execute(newest.limit(most)).scalars().all()
        for some in batches(ids, _BATCH):
            yield from self._readable(some, until)

    def _readable(self, ids: Sequence[str], until: datetime | None) -> list[RankedAnswer]:
        try:
            with self._database.read() as connection:
                return _ranked(connection, ids, until)
        except _UNREADABLE:
            half = len(ids) // 2
            return [*self._readable(ids[:half], until), *self._readable(ids[half:], until)] if half else []


def _ranked(connection: Connection, ids: Sequence[str], until: datetime | None) -> list[RankedAnswer]:
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
    if until is not None:
        vote_query = vote_query.where(feedback.c.at <= until)
    for row in connection.execute(vote_query):
        votes[row.answer_id][row.person] = 1 if row.vote == "up" else -1
    return [
        RankedAnswer(searched_for(body) or body["question"], body.get("fused_by", ""), rows[name],
                     askers[name] or "public", votes[name])
        for name in ids if (body := bodies.get(name)) is not None
    ]
