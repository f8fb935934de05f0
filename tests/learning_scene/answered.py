"""Answers as workers leave them in a ledger, with the votes on them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from vouch.adapters.ledger import Ledger, Vote
from vouch.messages import QuestionAsked, TagsAudience

ANA = "user:ana@acme.test"


def leave_answer(
    ledger: Ledger, number: int, at: datetime, *, asker: str = ANA, action: str = "answered", confidence: float = 0.5,
    cited: int = 1, fused_by: str = "reciprocal ranks", judged_by: str = "", planned_by: str = "",
    votes: Mapping[str, str] | None = None,
    voted_after: timedelta = timedelta(seconds=1), body: Mapping[str, Any] | None = None,
    candidates: list[dict[str, Any]] | None = None, text: str = "Who?",
) -> str:  # fmt: skip
    """The id of the answer to question `number`. `votes` by person; `body` instead of one made of the other values.

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
    ledger.answers.record(question, made, candidates or [], (), at)
    for person, vote in (votes or {}).items():
        ledger.feedback.record(Vote(made["id"], person, vote, None, at + voted_after))
    return str(made["id"])
