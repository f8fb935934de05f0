"""Knowledge from outside the documents: the shape that a machine for it would have. There is none yet."""

from collections.abc import Sequence
from typing import Protocol

from vouch.retrieval.candidate import Passage


class WebSearch(Protocol):
    """Finds passages elsewhere. It is told the question and nothing else, so it cannot carry documents out."""

    def passages(self, question: str, top: int) -> Sequence[Passage]:
        """At most `top` passages, best first. Raises Unavailable when the outside does not answer."""
        ...
