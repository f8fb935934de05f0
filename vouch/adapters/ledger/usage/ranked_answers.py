"""Answers with how their candidates were ranked: what a shadow is compared by, afterwards."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, candidates, feedback
from vouch.learning.promotion.shadowing import RankedAnswer

_FIELDS = ("answer_id", "chunk_id", "fused_rank", "rerank_rank", "expansion", "cited", "schema", "features")
_BATCH = 50                             # answers, each with some hundred candidates


class RankedAnswers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, since: datetime, schema: int, most: int) -> int:
        """Answers made since then whose candidates have features of this schema; no more than `most` are looked for."""
        ranked = (candidates.c.answer_id == answers.c.answer_id) & (candidates.c.schema == schema)
        some = (
            select(answers.c.answer_id)
            .where(answers.c.made_at >= since, select(candidates.c.id).where(ranked).exists())
            .limit(most)
        )
        query = select(func.count()).select_from(some.subquery())
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def since(self, at: datetime, most: int) -> Iterator[RankedAnswer]:
        """Those made since then, newest first, of one moment by id; read in batches: memory holds a few of them."""
        newest = (
            select(answers.c.answer_id)
            .where(answers.c.made_at >= at)
            .order_by(answers.c.made_at.desc(), answers.c.answer_id.desc())
        )
        with self._database.read() as connection:
            ids = connection.execute(newest.limit(most)).scalars().all()
        for start in range(0, len(ids), _BATCH):
            with self._database.read() as connection:
                found = _answers(connection, ids[start : start + _BATCH])
            yield from found


def _answers(connection: Connection, ids: Sequence[str]) -> list[RankedAnswer]:
    found = connection.execute(select(answers.c.answer_id, answers.c.body).where(answers.c.answer_id.in_(ids)))
    bodies = {row.answer_id: row.body for row in found}
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    fields = (candidates.c[name] for name in _FIELDS)
    query = select(*fields).where(candidates.c.answer_id.in_(ids)).order_by(candidates.c.id)
    for row in connection.execute(query).mappings():
        rows[row["answer_id"]].append(dict(row))
    votes: Counter[tuple[str, str]] = Counter()
    given = select(feedback.c.answer_id, feedback.c.vote).where(feedback.c.answer_id.in_(ids))
    votes.update((row.answer_id, row.vote) for row in connection.execute(given))
    return [
        RankedAnswer(bodies[name].get("understood_as") or bodies[name]["question"], bodies[name].get("fused_by", ""),
                     rows[name], votes[name, "up"], votes[name, "down"])
        for name in ids if name in bodies
    ]
