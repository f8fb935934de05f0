"""What says which step comes next when a question takes several, and the little that it is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PartSeen:
    """Something that the question asks for. Not `wanted`: it only helps to find another part."""

    text: str
    covered: bool                       # a passage is likely enough to answer it
    tried: bool                         # it was searched in its own words
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Seen:
    """A passage that was found: `words` are names and rare words in it that the question does not hold.

    `lacks`: the telling words of the part that is open which it does not hold. `document`: its name, SOURCE:PATH.
    """

    chunk_id: str
    title: str
    probability: float
    words: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    document: str = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a planner is told. Its size is bounded, whatever was found.

    `instructions` are of the actor that serves: no words of a question or a document.
    """

    question: str
    parts: Sequence[PartSeen]
    seen: Sequence[Seen]                # nearest first
    calls: Sequence[str]                # made already, as `call_name` writes them
    failures: Sequence[str]             # labels, never words of a document
    left: int                           # steps
    instructions: str = ""


class Planner(Protocol):
    @property
    def name(self) -> str: ...

    def next_step(self, situation: Situation, problem: str = "") -> str:
        """One JSON object {tool, args, stop, final, thought}. `problem`: what was wrong with the one before.

        Raises ModelDown when its model cannot be reached.
        """
        ...
