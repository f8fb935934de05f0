"""What says what is looked for next on the web: it is told the question and pages of the web, and nothing else."""

from dataclasses import dataclass
from typing import Protocol

from vouch.errors import Usage
from vouch.retrieval.candidate import Passage


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

    def next_query(self, situation: WebSituation) -> str:
        """One JSON object {tool, args, stop, final, thought} whose tool is `web`, or none."""
        ...

