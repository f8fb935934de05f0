"""What came before a question in its thread, as the processes' wiring looks it up."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from vouch.adapters.ledger import EarlierQuestion, Ledger
from vouch.messages import QuestionAsked
from vouch.retrieval.question.follow_up import MOST_TURNS


def earlier_within_a_day(ledger: Ledger) -> Callable[[QuestionAsked], Sequence[EarlierQuestion]]:
    return partial(ledger.threads.earlier, within=timedelta(days=1), limit=MOST_TURNS)
