"""Whoever waits for an answer may be told how far it is, and of each sentence that will stand in it."""

from collections.abc import Sequence
from typing import Protocol

from vouch.answering.citations import Citation, Sentence


class Listener(Protocol):
    """Told within the work, so it returns at once and raises nothing."""

    def stage(self, name: str) -> None:
        """A stage begins, such as `retrieve` or `write`."""
        ...

    def counted(self, name: str, number: int) -> None:
        """What a stage has come to. It depends on nothing that the question's readers may not read."""
        ...

    def over(self) -> None:
        """Nothing more comes: the answer is on its way."""
        ...

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        """It holds, by these citations, which its readers may read at this moment.

        If the documents or rules change meanwhile the answer is made again, and may not have it any more.
        """
        ...
