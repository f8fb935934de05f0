"""Knowledge from outside the documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vouch.retrieval.candidate import Passage


@dataclass(frozen=True, slots=True)
class Found:
    """`passages` are external, best first; `notes` say what went wrong on the way, in words for readers."""

    passages: Sequence[Passage] = ()
    notes: tuple[str, ...] = ()


class WebSearch(Protocol):
    """Finds passages elsewhere. It is told the question and nothing else, so it cannot carry documents out."""

    def passages(self, question: str, top: int) -> Found:
        """At most `top` passages. Raises WebDown when the outside does not answer in time."""
        ...
