"""A vote from the log reaches the ledger. One per person and answer; the last that was not withdrawn counts."""

from vouch.adapters.ledger import Ledger, Vote
from vouch.messages import FeedbackGiven


class FeedbackHandler:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def handle(self, given: FeedbackGiven) -> None:
        """Raises NotFound for an answer that does not exist."""
        self._ledger.feedback.record(Vote(
            given.answer_id, given.person, given.vote, given.reason, given.at, given.category, given.reaction,
            given.withdrawn,
        ))  # fmt: skip

    def give_up(self, given: FeedbackGiven) -> None:
        """Nobody waits for the outcome of a vote; the dead topic keeps it."""
