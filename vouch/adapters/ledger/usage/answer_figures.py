"""How a model did by the answers it made: votes, declines, confidence and citations, each person in turn."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Select, distinct, func, or_, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, feedback, outbox
from vouch.adapters.ledger.engine.stored_json import WholeJson
from vouch.learning.promotion.control import Figure, Floats, in_turns
from vouch.values.made_by import RULES

PLANNED_BY = "planned_by"
_BATCH = 500                            # rows fetched at once
_BODY, _QUESTION = WholeJson(answers.c.body), WholeJson(outbox.c.question)
_PERSON = _QUESTION["asker"].as_string().label("person")


@dataclass(frozen=True, slots=True)
class MadeBy:
    """Answers whose JSON has `name` in `field`, made from `since` on and `before` a moment, and votes before that.

    Of an agent (PLANNED_BY) those for which steps were to be taken, whether any was or not.

    Of each person the first `per_person` count, and as many votes, and they
    take turns (`in_turns`): nobody decides alone how a model did. `last`: only
    that many, the newest first; of these each person's newest count.
    """

    field: str                          # fused_by, judged_by, planned_by
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
            answer_rows = _counted(filter(_whole, connection.execute(_answers(model))), model)
            voted = _counted(connection.execute(_votes(model)), model)
        return {
            "votes": _floats(row.vote == "up" for row in voted),
            "answers": _floats(row.action != "declined" for row in answer_rows),
            "confidence": _floats(row.confidence for row in answer_rows),
            "citations": _floats(row.cited is not None for row in answer_rows),
        }

    def first(self, model: MadeBy) -> datetime | None:
        """When the first of them was made, whoever asked; None: there is none, or its moment cannot be read."""
        query = select(func.min(answers.c.made_at)).where(*_during(model))
        with self._database.read() as connection:
            try:
                first: datetime | None = connection.execute(query).scalar_one()
            except (ValueError, TypeError):
                return None
        return first

    def unreadable(self) -> int:
        """How many answers are no JSON, or their questions: nobody can tell which model made them, and for whom."""
        query = (
            select(func.count()).select_from(answers).join(outbox, outbox.c.question_id == answers.c.question_id)
            .where(or_(_BODY.is_(None), _QUESTION.is_(None)))
        )  # fmt: skip
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def askers(self, newest: int) -> int:
        """How many different people asked for the newest answers. All who are not signed in are one."""
        who = (
            select(_PERSON)
            .join(answers, answers.c.question_id == outbox.c.question_id)
            .order_by(answers.c.made_at.desc()).limit(newest)
        ).subquery()  # fmt: skip
        with self._database.read() as connection:
            return int(connection.execute(select(func.count(distinct(who.c.person)))).scalar_one())


def _whole(row: Any) -> bool:
    """Whether its confidence is one: an answer that holds something else is no reason to look at none."""
    return isinstance(row.confidence, int | float) and 0 <= row.confidence <= 1


def _counted(rows: Iterable[Any], model: MadeBy) -> list[Any]:
    return list(islice(in_turns(rows, lambda row: row.person, model.per_person), model.last))


def _answers(model: MadeBy) -> Select[Any]:
    query = (
        select(
            _PERSON, _BODY["action"].as_string().label("action"),
            _BODY[("confidence", "value")].as_json().label("confidence"),
            _BODY[("citations", 0, "number")].as_string().label("cited"),
        )
        .join(outbox, outbox.c.question_id == answers.c.question_id)
        .where(_QUESTION.is_not(None), _BODY["action"].as_string() != "replied", *_during(model))
    )  # fmt: skip
    return _ordered(query, model, answers.c.made_at, answers.c.answer_id)


def _votes(model: MadeBy) -> Select[Any]:
    query = (
        select(feedback.c.person, feedback.c.vote)
        .join(answers, answers.c.answer_id == feedback.c.answer_id)
        .where(*_during(model))
    )
    if model.before is not None:
        query = query.where(feedback.c.at < model.before)
    return _ordered(query, model, feedback.c.at, feedback.c.answer_id, feedback.c.person)


def _during(model: MadeBy) -> list[ColumnElement[bool]]:
    since = [answers.c.made_at >= model.since] if model.since is not None else []
    before = [answers.c.made_at < model.before] if model.before is not None else []
    return [*_made_by(model), *since, *before]


def _made_by(model: MadeBy) -> list[ColumnElement[bool]]:
    """Where the rules that come with vouch planned, the field is left out."""
    named = _BODY[model.field].as_string()
    if model.field != PLANNED_BY:
        return [named == model.name]
    walked = func.coalesce(_BODY["stopped"].as_string(), "") != ""
    return [walked, func.coalesce(named, RULES) == model.name]


def _ordered(query: Select[Any], model: MadeBy, *by: ColumnElement[Any]) -> Select[Any]:
    """Oldest first; newest first where only the last count."""
    return query.order_by(*(by if model.last is None else [column.desc() for column in by]))


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)
