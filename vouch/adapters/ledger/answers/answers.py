"""Answers with their candidates, one a question, and the count of searches for what is forgotten.

A purge raises the count when no version holds the document any more, and only
then looks for answers made from it. An answer says what the count was before
it was begun. It is recorded if that still holds, in one transaction with the
look: then either the search finds it, or it was made from what is left.
"""

import re
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import (
    answer_steps,
    answers,
    candidates,
    feedback,
    inbox,
    outbox,
    pointers,
    votes_given,
)
from vouch.batches import batches
from vouch.errors import Conflict, NotFound, Overtaken, Usage
from vouch.messages import QuestionAsked


def raise_erasures(connection: Connection) -> None:
    """To be committed before the search begins."""
    connection.execute(update(pointers).values(erasures=pointers.c.erasures + 1))


def read_erasures(connection: Connection) -> int:
    return int(connection.execute(select(pointers.c.erasures)).scalar_one())


def refuse_overtaken(connection: Connection, began: int) -> None:
    """Raises Overtaken if a search has begun since; until the transaction ends none does."""
    found = connection.execute(select(pointers.c.erasures).with_for_update(read=True)).scalar_one()
    if found != began:
        raise Overtaken("documents were purged while this was answered", cure="it has to be answered again")


_COLUMNS = tuple(column.name for column in candidates.c if column.name not in ("id", "answer_id"))
_STEP = tuple(column.name for column in answer_steps.c if column.name not in ("id", "answer_id"))
_BATCH = 300                            # ids in a read, each with some hundred candidates
_DIGITS = re.compile(r"[0-9a-f]{6,31}")  # of an id that is given in part
UNREADABLE = (ValueError, RecursionError, TypeError)    # by the JSON in a row
_NEEDED = {"chunk_id", "cited", "evidence", "schema", "features"}


class Answers:
    def __init__(self, database: Database, arrived: threading.Event) -> None:
        self._database = database
        self._arrived = arrived

    def record(
        self,
        question: QuestionAsked,
        answer: Mapping[str, Any],
        rows: Sequence[Mapping[str, Any]],
        given: Sequence[str],
        at: datetime,
        began: int = 0,
        steps: Sequence[Mapping[str, Any]] = (),
    ) -> bool:
        """Inbox, answer, candidates and outbox in one transaction, then `arrived`. False if it was answered before.

        `answer` is JSON with an `id`; `rows` are candidates as the corrective loop
        describes them; `given` are the ids of the chunks the writer was given;
        `steps` are the further steps taken for it;
        `began` is what `erasures` said before anything was looked up for it.
        Raises Overtaken if it was made from documents, and some were purged since.
        """
        checked = [checked_candidate(row) for row in rows]
        try:
            with self._database.write() as connection:
                if _answered(connection, question.id):
                    return False
                connection.execute(insert(inbox).values(question_id=question.id, done_at=at))
                put_answer(connection, question.id, answer, checked, at, steps)
                connection.execute(
                    insert(outbox).values(
                        question_id=question.id, surface=question.surface, question=question.model_dump(mode="json"),
                        thread=question.thread, asked_at=question.asked_at,
                        given=list(given), state="pending", due_at=at + self._database.behind(connection),
                        attempts=0, rechecks=0, doubt=0,
                    )
                )  # fmt: skip
                if given or checked:
                    refuse_overtaken(connection, began)
        except Conflict:
            if self.answered(question.id):          # by another worker, between the look and the commit
                return False
            raise
        self._arrived.set()
        return True

    def erasures(self) -> int:
        """To be asked before an answer is begun."""
        with self._database.read() as connection:
            return read_erasures(connection)

    def answered(self, question_id: str) -> bool:
        with self._database.read() as connection:
            return _answered(connection, question_id)

    def get(self, answer_id: str) -> dict[str, Any]:
        """The JSON of the answer with this id, or the only one whose id begins so. Raises NotFound, Usage."""
        named = answers.c.answer_id == answer_id
        if _DIGITS.fullmatch(answer_id):
            named = answers.c.answer_id.startswith(answer_id)
        with self._database.read() as connection:
            bodies = connection.execute(select(answers.c.body).where(named).limit(2)).scalars().all()
        if not bodies:
            raise NotFound(f"there is no answer {answer_id!r}", cure="vouch ask --verbose shows the id of an answer")
        if len(bodies) > 1:
            raise Usage(f"several answers begin with {answer_id}", cure="give more of the id")
        return dict(bodies[0])

    def by_question(self, question_id: str) -> dict[str, Any] | None:
        """The answer's JSON, sent or not; None while there is none."""
        with self._database.read() as connection:
            query = select(answers.c.body).where(answers.c.question_id == question_id)
            body = connection.execute(query).scalar_one_or_none()
        return dict(body) if body is not None else None

    def candidates(self, answer_id: str) -> list[dict[str, Any]]:
        """Every candidate of the answer, in the order it was recorded."""
        return self._candidates([answer_id])[answer_id]

    def steps(self, answer_id: str) -> list[dict[str, Any]]:
        """The further steps taken for the answer, in order."""
        query = select(answer_steps).where(answer_steps.c.answer_id == answer_id).order_by(answer_steps.c.number)
        with self._database.read() as connection:
            return [{name: getattr(row, name) for name in _STEP} for row in connection.execute(query)]

    def candidates_of(self, answer_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """By each of these ids every candidate of the answer, in the order it was recorded; some hundred ids a read.

        None of an answer with one that cannot be read.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        for some in batches(answer_ids, _BATCH):
            found |= self._readable(some)
        return found

    def _readable(self, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        try:
            return self._candidates(ids)
        except UNREADABLE:
            half = len(ids) // 2
            return self._readable(ids[:half]) | self._readable(ids[half:]) if half else {name: [] for name in ids}

    def _candidates(self, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in ids}
        columns = [candidates.c[name] for name in _COLUMNS]
        query = select(candidates.c.answer_id, *columns).where(candidates.c.answer_id.in_(ids))
        with self._database.read() as connection:
            for name, *values in connection.execute(query.order_by(candidates.c.id)):
                found[name].append(dict(zip(_COLUMNS, values, strict=True)))
        return found


def put_answer(
    connection: Connection, question_id: str, answer: Mapping[str, Any], rows: Sequence[Mapping[str, Any]],
    at: datetime, steps: Sequence[Mapping[str, Any]] = (),
) -> None:  # fmt: skip
    """The question's only answer; a former one, which nobody has seen, leaves no trace."""
    former = connection.execute(select(answers.c.answer_id).where(answers.c.question_id == question_id)).scalar()
    if former is not None:
        for table in (candidates, answer_steps, votes_given, feedback, answers):
            connection.execute(delete(table).where(table.c.answer_id == former))
    answer_id = answer["id"]
    connection.execute(
        insert(answers).values(answer_id=answer_id, question_id=question_id, body=dict(answer), made_at=at)
    )
    if rows:
        connection.execute(insert(candidates), [dict(row, answer_id=answer_id) for row in rows])
    if steps:
        connection.execute(insert(answer_steps), [dict(step, answer_id=answer_id) for step in steps])


def _answered(connection: Connection, question_id: str) -> bool:
    return connection.execute(select(inbox.c.done_at).where(inbox.c.question_id == question_id)).first() is not None


def checked_candidate(row: Mapping[str, Any]) -> dict[str, Any]:
    if not row.keys() >= _NEEDED or not row.keys() <= set(_COLUMNS):
        raise Usage(f"a candidate has the fields {sorted(row)}", cure=f"known are {', '.join(_COLUMNS)}")
    return {name: row.get(name) for name in _COLUMNS}
