"""A direct message outside a thread goes on from what its writer asked there a moment ago."""

from datetime import timedelta

from bots.slack.place import SURFACE, direct_beginning
from vouch.adapters.ledger import EarlierQuestion, Ledger
from vouch.messages import QuestionAsked

A_MOMENT = timedelta(minutes=10)


def last_in_conversation(ledger: Ledger, thread_hours: float, message: QuestionAsked) -> EarlierQuestion | None:
    """None for all others: in a channel many talk at once, so only its threads tell what belongs together."""
    conversation = direct_beginning(message.id, message.thread) if message.surface == SURFACE else ""
    if not conversation:
        return None
    return ledger.threads.last(message, conversation, min(A_MOMENT, timedelta(hours=thread_hours)))
