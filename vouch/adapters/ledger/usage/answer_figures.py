"""Figures of answers: scores of candidates, how a model ranked or judged, what a shadow is compared by."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, distinct, func, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, candidates, feedback, outbox
from vouch.learning.promotion.control import Figure, Floats, in_turns
from vouch.learning.promotion.shadowing import RankedAnswer

_BATCH = 500                            # rows fetched at once


@dataclass(frozen=True, slots=True)
class MadeBy:
    """Answers whose JSON has `name` in `field`, and the votes on them, from `since` on and up to `before`.

    Of each person the first `per_person` count, and as many votes, and they
    take turns (`in_turns`): nobody decides alone how a model did. `last`: only
    that many, the newest first; of these each person's newest count.
    """

    field: str                          # fused_by, judged_by
    name: str
    per_person: int
    since: datetime | None = None
    before: datetime | None = None
    last: int | None = None


class AnswerFigures:
    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, model: MadeBy) -> dict[Figure, Floats]:
        """In the order in which they count, each between 0 and 1, higher being better: `votes` those up, `answers`
        those that are no decline, `confidence`, `citations` those with at least one."""
        with self._database.read() as connection:
            connection = connection.execution_options(yield_per=_BATCH)
            answer_rows = _counted(connection.execute(_answers(model)), model)
            voted = _counted(connection.execute(_votes(model)), model)
        return {
            "votes": _floats(row.vote == "up" for row in voted),
            "answers": _floats(row.action != "declined" for row in answer_rows),
            "confidence": _floats(row.confidence for row in answer_rows),
            "citations": _floats(row.cited is not None for row in answer_rows),
        }

    def askers(self, newest: int) -> int:
        """How many different people asked for the newest answers. All who are not signed in are one."""
        who = (
            select(outbox.c.question["asker"].as_string().label("person"))
            .join(answers, answers.c.question_id == outbox.c.question_id)
            .order_by(answers.c.made_at.desc()).limit(newest)
        ).subquery()  # fmt: skip
        with self._database.read() as connection:
            return int(connection.execute(select(func.count(distinct(who.c.person)))).scalar_one())


def _counted(rows: Iterable[Any], model: MadeBy) -> list[Any]:
    return list(islice(in_turns(rows, lambda row: row.person, model.per_person), model.last))


def _answers(model: MadeBy) -> Select[Any]:
    body = answers.c.body
    query = (
        select(
            outbox.c.question["asker"].as_string().label("person"), body["action"].as_string().label("action"),
            body[("confidence", "value")].as_float().label("confidence"),
            body[("citations", 0, "number")].as_integer().label("cited"),
        )
        .join(outbox, outbox.c.question_id == answers.c.question_id)
        .where(body["action"].as_string() != "replied", *_during(model, answers.c.made_at))
    )  # fmt: skip
    return _ordered(query, model, answers.c.made_at, answers.c.answer_id)


def _votes(model: MadeBy) -> Select[Any]:
    query = (
        select(feedback.c.person, feedback.c.vote)
        .join(answers, answers.c.answer_id == feedback.c.answer_id)
        .where(*_during(model, answers.c.made_at, feedback.c.at))
    )
    return _ordered(query, model, feedback.c.at, feedback.c.answer_id, feedback.c.person)


def _during(model: MadeBy, *moments: ColumnElement[datetime]) -> list[ColumnElement[bool]]:
    found = [answers.c.body[model.field].as_string() == model.name]
    for moment in moments:
        found += [moment >= model.since] if model.since is not None else []
        found += [moment < model.before] if model.before is not None else []
    return found


def _ordered(query: Select[Any], model: MadeBy, *by: ColumnElement[Any]) -> Select[Any]:
    """Oldest first; newest first where only the last count."""
    return query.order_by(*(by if model.last is None else [column.desc() for column in by]))


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


SCORES = ("lexical_score", "dense_score", "rerank_score", "probability")
_MEASURED_AT_ONCE = 500


@dataclass(frozen=True)
class Measured:
    """By name one number per candidate of `answers` answers; NaN where a candidate has none."""

    answers: int
    values: Mapping[str, NDArray[np.float64]]


class Measures:
    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, since: datetime, until: datetime, *, schema: int, names: Sequence[str], most: int) -> Measured:
        """Scores, and the features `names` of that schema, of the candidates of answers made in that time.

        Of more than `most` answers that many are looked at: those of the least ids, which are hashes, so that
        they are drawn without regard to anything, and the same each time.
        """
        drawn_answers = (
            select(answers.c.answer_id)
            .where(answers.c.made_at >= since, answers.c.made_at < until)
            .where(select(candidates.c.id).where(_of_answer, candidates.c.schema == schema).exists())
            .order_by(answers.c.answer_id)
            .limit(most)
        )
        columns = [candidates.c[name] for name in SCORES]
        rows: list[list[float | None]] = []
        with self._database.read() as connection:
            ids = list(connection.execute(drawn_answers).scalars())
            for start in range(0, len(ids), _MEASURED_AT_ONCE):
                here = candidates.c.answer_id.in_(ids[start : start + _MEASURED_AT_ONCE])
                query = select(*columns, candidates.c.features).where(here, candidates.c.schema == schema)
                for *scores, features in connection.execute(query):
                    rows.append([*scores, *(features.get(name) for name in names)])
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(SCORES) + len(names))
        return Measured(len(ids), {name: table[:, n] for n, name in enumerate((*SCORES, *names))})


_of_answer = candidates.c.answer_id == answers.c.answer_id


_FIELDS = ("answer_id", "chunk_id", "fused_rank", "rerank_rank", "expansion", "cited", "schema", "features")
_ASKER = outbox.c.question["asker"].as_string().label("asker")
_RANKED_AT_ONCE = 50                             # answers, each with some hundred candidates


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
        """Those made since then, newest first, of one moment by id; read in batches: memory holds a few of them."""
        newest = (
            select(answers.c.answer_id)
            .where(answers.c.made_at >= at)
            .order_by(answers.c.made_at.desc(), answers.c.answer_id.desc())
        )
        with self._database.read() as connection:
            ids = connection.execute(newest.limit(most)).scalars().all()
        for start in range(0, len(ids), _RANKED_AT_ONCE):
            with self._database.read() as connection:
                batch = _ranked(connection, ids[start : start + _RANKED_AT_ONCE])
            yield from batch


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
        RankedAnswer(_searched(bodies[name]), bodies[name].get("fused_by", ""), rows[name], askers[name] or "public",
                     votes[name])
        for name in ids if name in bodies
    ]


def _searched(body: Mapping[str, Any]) -> str:
    """What its passages were ranked for."""
    return str(body.get("searched_as") or body.get("understood_as") or body["question"])
