"""Knowledge from the web: who searches it, what knows its addresses, and who plans what to look for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vouch.errors import Usage
from vouch.values.candidate import Passage


@dataclass(frozen=True, slots=True)
class WebSituation:
    """All that the planner is told. It holds nothing of the documents: making one with a passage of theirs fails."""

    question: str
    found: tuple[Passage, ...]          # of the web, as its searches gave them
    asked: tuple[str, ...]              # what the web was asked already
    left: int                           # searches

    def __post_init__(self) -> None:
        if any(one.origin != "external" for one in self.found):
            raise Usage("a passage of the documents was to be told to the planner of the web")


class WebPlanner(Protocol):
    @property
    def name(self) -> str: ...

    def next_query(self, situation: WebSituation, problem: str = "") -> str:
        """One JSON object {tool, args, stop, final, thought} whose tool is `web`, or none.

        `problem`: what was wrong with the one before. Raises ModelDown when its model cannot be reached.
        """
        ...


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


class SearchEngine(Protocol):
    """Finds pages for a few words."""

    def addresses(self, query: str, top: int, until: float) -> Sequence[str]:
        """At most `top` addresses as strangers wrote them, best first; none is an answer, too.

        Raises WebDown, by `until` of `time.monotonic` at the latest.
        """
        ...
