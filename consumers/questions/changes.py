"""A question as it stands when somebody begins to answer it: people change their words, or take them back."""

from datetime import datetime

from vouch.adapters.ledger import Ledger
from vouch.messages import QuestionAsked


def as_it_stands(ledger: Ledger, question: QuestionAsked, now: datetime) -> QuestionAsked | None:
    """With the words of now; None if it was taken back, and then it counts as answered."""
    changed = ledger.changed.find(question.id)
    if changed is None:
        return question
    if changed.text is None:
        ledger.changed.take_back(question.id, now)
        return None
    return question.model_copy(update={"text": changed.text, "filters": changed.filters, "steps": changed.steps})
