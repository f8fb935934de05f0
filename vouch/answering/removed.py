"""What is left of an answer when a document it was made from is forgotten: its ids and times."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vouch.answering.answer import Answer, AnswerConfidence, AnswerTokens, ConfidenceParts

REMOVED = "removed"
REMOVED_TEXT = "Removed: a document that this answer was made from has been deleted."


def removed_answer(answer_id: str, question_id: str, made_at: datetime, body: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of an answer in the place of `body`, without a word of question, answer or evidence."""
    stub = Answer(
        id=answer_id,
        question_id=question_id,
        question=REMOVED,
        answer=REMOVED_TEXT,
        sentences=[],
        citations=[],
        action="declined",
        reason=REMOVED,
        verdict=None,
        confidence=AnswerConfidence(
            value=0.0, level="low", parts=ConfidenceParts(evaluator=0.0, support=0.0, agreement=0.0)
        ),
        knowledge="none",
        warnings=[],
        model="none",
        tokens=AnswerTokens(),
        timings_ms={},
        index_version=body.get("index_version", 0),
        access_epoch=body.get("access_epoch", 0),
        asked_at=body.get("asked_at", made_at),
        answered_at=body.get("answered_at", made_at),
    )
    return stub.model_dump(mode="json")
