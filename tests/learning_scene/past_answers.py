"""Answers of some time ago in a ledger, as a worker records them, without their words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from vouch.adapters.ledger import Ledger, Vote
from vouch.messages import QuestionAsked


def put(
    ledger: Ledger, name: str, text: str, asker: str, at: datetime, *, action: str = "declined",
    confidence: float = 0.1, judged: bool = True, votes: Mapping[str, str] | None = None,
    rows: Sequence[Mapping[str, Any]] = (), share: bool = False, filters: Mapping[str, Any] | None = None,
) -> str:
    """The id of the answer. `votes`: person → up or down. Not `judged`: nothing was looked up."""
    asked = QuestionAsked.model_validate({
        "id": name, "text": text, "surface": "terminal", "asker": asker, "audience": {"tags": ["public"]},
        "asked_at": at, "share_question": share, **({"filters": filters} if filters else {})})
    verdict = {"kind": "incorrect", "scores": [], "thresholds": {"lower": 0.1, "upper": 0.6}, "reason": ""}
    body = {
        "id": f"a-{name}", "question_id": name, "question": text, "answer": "words", "sentences": [], "citations": [],
        "action": action, "reason": "", "verdict": verdict if judged else None,
        "confidence": {"value": confidence, "level": "low", "parts": {"evaluator": 0, "support": 0, "agreement": 0}},
        "index_version": 1, "access_epoch": 1, "asked_at": at.isoformat(), "answered_at": at.isoformat(),
    }
    assert ledger.answers.record(asked, body, list(rows), [], at)
    for person, vote in (votes or {}).items():
        ledger.feedback.record(Vote(f"a-{name}", person, vote, None, at))
    return f"a-{name}"
