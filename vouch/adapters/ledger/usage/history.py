"""What was asked, answered and voted, as labels are made from it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, literal, or_, select, tuple_

from vouch.adapters.ledger.conversations.changed_questions import gone_among
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, candidates, feedback, outbox
from vouch.answering.answer import REMOVED
from vouch.batches import batches
from vouch.learning.labels.weak_labels import Answered, Ballot, Given
from vouch.messages import QuestionAsked

_PAGE = 500


class Told(NamedTuple):
    """`swapped` are the positions that a draw had changed."""

    asker: str
    swapped: tuple[int, ...]


class History:
    def __init__(self, database: Database) -> None:
        self._database = database

    def questions(self) -> Iterator[QuestionAsked]:
        """All that were answered, in no order."""
        with self._database.read() as connection:
            rows = connection.execution_options(yield_per=_PAGE).execute(select(outbox.c.question))
            for question in rows.scalars():
                yield QuestionAsked.model_validate(question)

    def asked(self) -> Iterator[QuestionAsked]:
        """Those that a search was made for and no purge has emptied, the newest first: small talk is none of them.

        None of a message that was deleted, or says something else now.
        """
        query = (
            select(outbox.c.question, answers.c.body)
            .join(answers, answers.c.question_id == outbox.c.question_id)
            .order_by(answers.c.made_at.desc(), answers.c.answer_id)
        )
        with self._database.read() as connection:
            for rows in connection.execution_options(yield_per=_PAGE).execute(query).partitions():
                questions = [QuestionAsked.model_validate(row.question) for row in rows
                             if row.body["action"] != "replied" and row.body.get("reason") != REMOVED]
                gone = gone_among(connection, questions)
                yield from (one for one in questions if one.id not in gone)

    def told_of(self, answer_ids: Sequence[str]) -> dict[str, Told]:
        """Of those answers that are there; some hundred ids a read."""
        found: dict[str, Told] = {}
        fields = answers.c.answer_id, outbox.c.question["asker"].as_string(), answers.c.body["swapped"]
        query = select(*fields).join(outbox, outbox.c.question_id == answers.c.question_id)
        for some in batches(answer_ids, _PAGE):
            with self._database.read() as connection:
                mine = query.where(answers.c.answer_id.in_(some))
                for name, asker, swapped in connection.execute(mine):
                    found[name] = Told(asker, tuple(swapped or ()))
        return found

    def answered(self, size: int) -> Iterator[list[Answered]]:
        """Every answer with its question, given passages and votes, oldest first, at most `size` at a time."""
        after: tuple[datetime, str] | None = None
        while True:
            with self._database.read() as connection:
                rows = connection.execute(_page(after, size)).all()
                batch = _whole(connection, rows)
            if batch:
                yield batch
            if len(rows) < size:
                return
            after = rows[-1].made_at, rows[-1].answer_id


def _page(after: tuple[datetime, str] | None, size: int) -> Select[Any]:
    """One comparison of rows, not two of columns: only so does the search begin at that place of the index."""
    query = (
        select(answers.c.answer_id, answers.c.body, answers.c.made_at, outbox.c.question, outbox.c.state)
        .join(outbox, outbox.c.question_id == answers.c.question_id)
        .order_by(answers.c.made_at, answers.c.answer_id)
        .limit(size)
    )
    if after is not None:
        position = tuple_(answers.c.made_at, answers.c.answer_id)
        query = query.where(position > _typed(*after))
    return query


def _typed(moment: datetime, name: str) -> ColumnElement[Any]:
    """As a row to be compared: each value is bound as its column is, a moment in UTC."""
    return tuple_(literal(moment, answers.c.made_at.type), literal(name, answers.c.answer_id.type))


def _whole(connection: Connection, rows: Sequence[Any]) -> list[Answered]:
    ids = [row.answer_id for row in rows]
    given, votes = _given(connection, ids), _votes(connection, ids)
    questions = [QuestionAsked.model_validate(row.question) for row in rows]
    gone = gone_among(connection, questions)
    return [
        Answered(
            question, row.body, row.made_at, row.state == "sent", tuple(given.get(row.answer_id, ())),
            tuple(votes.get(row.answer_id, ())), gone=question.id in gone,
        )
        for question, row in zip(questions, rows, strict=True)
    ]  # fmt: skip


def _given(connection: Connection, ids: Sequence[str]) -> dict[str, list[Given]]:
    c = candidates.c
    seen = c.answer_id.in_(ids) & or_(c.shown.is_not(None), c.cited)
    found: dict[str, list[Given]] = {}
    query = select(c.answer_id, c.chunk_id, c.text_hash, c.shown, c.cited).where(seen).order_by(c.id)
    for answer_id, *values in connection.execute(query):
        found.setdefault(answer_id, []).append(Given(*values))
    return found


def _votes(connection: Connection, ids: Sequence[str]) -> dict[str, list[Ballot]]:
    c = feedback.c
    query = select(c.answer_id, c.person, c.vote, c.category, c.at).where(c.answer_id.in_(ids))
    found: dict[str, list[Ballot]] = {}
    for answer_id, *values in connection.execute(query.order_by(c.at, c.person)):
        found.setdefault(answer_id, []).append(Ballot(*values))
    return found
