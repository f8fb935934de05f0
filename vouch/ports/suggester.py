"""What suggests words to search by: other wordings of a question, and answers that it may have."""

from collections.abc import Sequence
from typing import Protocol

from vouch.retrieval.candidate import Passage


class Suggester(Protocol):
    """What it suggests is searched for, and never shown as an answer. All raise ModelDown where it does not reply."""

    @property
    def name(self) -> str:
        """Which one it is, as answers name it."""
        ...

    def queries(self, question: str, most: int) -> list[str]:
        """At most so many other wordings, made from the question alone."""
        ...

    def hypotheses(self, question: str, most: int) -> list[str]:
        """At most so many answers that it may have, made from the question alone."""
        ...

    def answer(self, question: str, passages: Sequence[Passage]) -> str:
        """In one sentence, from the passages, whose words are data to it; empty where they hold none."""
        ...
