"""What is asked outside a thread where one person alone asks goes on from what they asked there a moment ago."""

from collections.abc import Sequence
from datetime import timedelta

from bots.slack.place import SURFACE, flat_beginning, is_thread
from vouch.adapters.ledger import EarlierQuestion, Ledger
from vouch.messages import QuestionAsked
from vouch.retrieval.question.follow_up import MOST_TURNS

A_MOMENT = timedelta(minutes=10)


def earlier_in_thread(ledger: Ledger, thread_hours: float, message: QuestionAsked) -> Sequence[EarlierQuestion]:
    """Nothing where the message is in no thread, but merely in a conversation."""
    if message.surface == SURFACE and not is_thread(message.thread or ""):
        return ()
    return ledger.threads.earlier(message, timedelta(hours=thread_hours), MOST_TURNS)


def last_in_conversation(ledger: Ledger, thread_hours: float, message: QuestionAsked) -> EarlierQuestion | None:
    """None for all others: in a channel many talk at once, so only its threads tell what belongs together."""
    conversation = flat_beginning(message.id, message.thread) if message.surface == SURFACE else ""
    if not conversation:
        return None
    return ledger.threads.last(message, conversation, min(A_MOMENT, timedelta(hours=thread_hours)))
