"""Takes words of a document out of what was written beside answers.

These are the reasons of votes, the questions that people changed, and what reports and failed runs say.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from vouch.adapters.ledger.conversations.changed_questions import AS_ANSWERED
from vouch.adapters.ledger.engine.schema import changed_questions, feedback, flow_runs, runs
from vouch.adapters.ledger.permissions.restrictions import Place
from vouch.adapters.ledger.removal.word_search import Holds, WordSearch, as_json
from vouch.answering.answer import REMOVED


def texts_beside_answers(connection: Connection) -> list[str]:
    """All that a `WordSearch` is asked about here, for a search beforehand."""
    return [
        *(row.reason for row in _reasons(connection)),
        *(row.text for row in _changed(connection)),
        *(row.cause for row in _causes(connection)),
    ]


def _reasons(connection: Connection) -> Sequence[Any]:
    return connection.execute(select(feedback).where(feedback.c.reason.is_not(None))).all()


def clean_votes(connection: Connection, made_from: Collection[str], words: WordSearch) -> int:
    """Votes stay; reasons that may quote go."""
    rows = _reasons(connection)
    quoting = words.quoting(row.reason for row in rows)
    cleaned = [row for row in rows if row.answer_id in made_from or row.reason in quoting]
    for row in cleaned:
        mine = (feedback.c.answer_id == row.answer_id) & (feedback.c.person == row.person)
        connection.execute(update(feedback).where(mine).values(reason=None))
    return len(cleaned)


def _changed(connection: Connection) -> Sequence[Any]:
    with_words = changed_questions.c.text != AS_ANSWERED
    return connection.execute(select(changed_questions).where(with_words)).all()


def take_back_changed(connection: Connection, words: WordSearch) -> None:
    """A question that was changed into words of the document is taken back: its former words are not what was asked."""
    rows = _changed(connection)
    quoting = words.quoting(row.text for row in rows)
    for row in rows:
        if row.text in quoting:
            mine = changed_questions.c.question_id == row.question_id
            connection.execute(update(changed_questions).where(mine).values(text=None))


def _causes(connection: Connection) -> Sequence[Any]:
    return connection.execute(select(flow_runs).where(flow_runs.c.cause.is_not(None))).all()


def clean_causes(connection: Connection, words: WordSearch) -> None:
    """Why a run failed may name what it failed at; words of the document go."""
    rows = _causes(connection)
    quoting = words.quoting(row.cause for row in rows)
    for row in rows:
        if row.cause in quoting:
            connection.execute(update(flow_runs).where(flow_runs.c.id == row.id).values(cause=REMOVED))


def clean_reports(connection: Connection, places: Collection[Place], holds: Holds) -> int:
    """Reports keep their counts and paths; a reason why a document could not be read may quote it."""
    paths = {path for _, path in places}
    count = 0
    for row in connection.execute(select(runs)).all():
        report = dict(row.report)
        problems = [
            {**problem, "reason": REMOVED}
            if problem.get("path") in paths or holds(as_json(problem)) else problem
            for problem in report.get("problems", ())
        ]
        if problems != list(report.get("problems", ())):
            report["problems"] = problems
            connection.execute(update(runs).where(runs.c.id == row.id).values(report=report))
            count += 1
    return count
