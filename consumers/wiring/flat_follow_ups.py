"""What a question goes on from: its thread, or what was asked a moment ago where one person alone asks.

No words that are gone in Slack count, also where the bot was away when they went.
"""

from collections.abc import Sequence
from datetime import timedelta

from bots.slack.place import SURFACE, flat_beginning, is_thread
from consumers.wiring.surfaces import Slack
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


def is_gone(slack: Slack | None, ledger: Ledger, question: QuestionAsked) -> bool:
    """Where Slack tells nobody, only what never leaves the company is used. Raises SurfaceDown."""
    if slack is None or question.surface != SURFACE:
        return False
    from bots.slack.answers.still_said import StillSaid

    return StillSaid(slack.api, ledger.changed.changed_at).is_gone(question, untold=question.outside)
