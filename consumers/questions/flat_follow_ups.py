"""What is asked outside a thread where one person alone asks goes on from what they asked there a moment ago.

What is a thread, and where one person asks alone, the conversations of the surface tell; others have threads alone.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from vouch.adapters.ledger import EarlierQuestion, Ledger
from vouch.messages import QuestionAsked
from vouch.ports.surface import Conversations
from vouch.retrieval.question.follow_up import MOST_TURNS

A_MOMENT = timedelta(minutes=10)
BySurface = Mapping[str, Conversations]


def earlier_in_thread(
    ledger: Ledger, thread_hours: float, surfaces: BySurface, message: QuestionAsked
) -> Sequence[EarlierQuestion]:
    """Nothing where the message is in no thread, but merely in a conversation."""
    conversations = surfaces.get(message.surface)
    if conversations is not None and not conversations.is_thread(message.thread or ""):
        return ()
    return ledger.threads.earlier(message, timedelta(hours=thread_hours), MOST_TURNS)


def last_in_conversation(
    ledger: Ledger, thread_hours: float, surfaces: BySurface, message: QuestionAsked
) -> EarlierQuestion | None:
    """None for all others: in a channel many talk at once, so only its threads tell what belongs together."""
    conversations = surfaces.get(message.surface)
    alone = conversations.asked_alone(message.id, message.thread or "") if conversations is not None else ""
    if not alone:
        return None
    return ledger.threads.last(message, alone, min(A_MOMENT, timedelta(hours=thread_hours)))
