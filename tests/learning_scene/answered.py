"""Answers as workers leave them in a ledger, with the votes on them."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import insert

from vouch.adapters.ledger import Ledger, Vote
from vouch.adapters.ledger.engine.schema import answers, feedback, inbox, outbox, votes_given
from vouch.messages import QuestionAsked, TagsAudience

ANA = "user:ana@acme.test"


class Left(NamedTuple):
    """An answer to its question, and the votes on it."""

    question: QuestionAsked
    body: dict[str, Any]
    at: datetime
    votes: list[Vote]


def left(
    number: int, at: datetime, *, asker: str = ANA, action: str = "answered", confidence: float = 0.5, cited: int = 1,
    fused_by: str = "reciprocal ranks", judged_by: str = "", planned_by: str = "",
    votes: Mapping[str, str] | None = None, voted_after: timedelta = timedelta(seconds=1),
    body: Mapping[str, Any] | None = None, text: str = "Who?",
) -> Left:  # fmt: skip
    """The answer to question `number`. `votes` by person; `body` instead of one made of the other values.

    `planned_by`: steps were to be taken for it, by this agent, or by the rules.
    """
    question = QuestionAsked(
        id=f"q{number}", text=text, surface="terminal", asker=asker, audience=TagsAudience(tags=(asker,)),
        asked_at=at,
    )  # fmt: skip
    made = dict(body) if body is not None else {
        "id": f"a{number}", "question_id": question.id, "question": text, "answer": "Nobody.", "action": action,
        "confidence": {"value": confidence}, "citations": [{"number": n + 1} for n in range(cited)],
        "fused_by": fused_by, "judged_by": judged_by, **({"stopped": "final"} if planned_by else {}),
        **({"planned_by": planned_by} if planned_by not in ("", "rules") else {}),
    }  # fmt: skip
    given = [Vote(made["id"], person, vote, None, at + voted_after) for person, vote in (votes or {}).items()]
    return Left(question, made, at, given)


def leave_answer(
    ledger: Ledger, number: int, at: datetime, *, candidates: list[dict[str, Any]] | None = None, **how: Any
) -> str:
    """Its id. `how` is that of `left`."""
    one = left(number, at, **how)
    ledger.answers.record(one.question, one.body, candidates or [], (), at)
    for vote in one.votes:
        ledger.feedback.record(vote)
    return str(one.body["id"])


def leave_answers(ledger: Ledger, some: Iterable[Left]) -> None:
    """The rows that `leave_answer` would leave of new ones in a file, thousands in a second."""
    if not (rows := list(some)):
        return
    votes = [vote for one in rows for vote in one.votes]
    with ledger._database.write() as connection:
        connection.execute(insert(inbox), [{"question_id": one.question.id, "done_at": one.at} for one in rows])
        connection.execute(insert(answers), [
            {"answer_id": one.body["id"], "question_id": one.question.id, "body": one.body, "made_at": one.at}
            for one in rows
        ])  # fmt: skip
        connection.execute(insert(outbox), [
            {"question_id": one.question.id, "surface": one.question.surface, "thread": one.question.thread,
             "question": one.question.model_dump(mode="json"), "asked_at": one.question.asked_at, "given": [],
             "state": "pending", "due_at": one.at, "attempts": 0, "rechecks": 0, "doubt": 0}
            for one in rows
        ])  # fmt: skip
        if votes:
            who = [{"answer_id": one.answer_id, "person": one.person, "vote": one.vote, "category": one.category,
                    "at": one.at} for one in votes]
            connection.execute(insert(votes_given), [{**one, "reaction": "", "withdrawn": False} for one in who])
            connection.execute(insert(feedback), [{**one, "reason": None} for one in who])
