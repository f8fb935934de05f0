"""What a language model, or rules in its place, does for an answer: write, suggest words, plan steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vouch.values.candidate import Passage

Quote = tuple[int, int, int]            # number of an evidence, and a range of its passage's text
QUOTED = "extractive"                   # names, in the place of a model, that every sentence is a quotation


@dataclass(frozen=True, slots=True)
class Evidence:
    """A refined passage given to the writer: `number` is what citations use, strips are its kept ranges."""

    number: int
    passage: Passage
    strips: tuple[tuple[int, int], ...]  # ranges within passage.text, in order, not overlapping
    probability: float


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence, list or block of code of the answer; `quotes` are (evidence number, start, end) in passage.text.

    `left_out` says what the quoted list or block has besides, such as "3 more steps".
    """

    text: str
    quotes: tuple[Quote, ...]
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """No sentences means the writer found nothing that answers; `reason` then says why.

    Not `certain`: the sentences are the nearest there are, and nobody says that they answer.
    `decided`: the writer read the passages and says itself whether they answer, whatever the evaluator says.
    """

    sentences: tuple[DraftSentence, ...]
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    warnings: tuple[str, ...] = ()
    reason: str = ""
    certain: bool = True
    decided: bool = False


class Writer(Protocol):
    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        """A draft that quotes only `evidence`. Raises ModelDown when its model cannot be reached."""
        ...


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


class Completer(Protocol):
    """What it makes of a follow-up is searched for, and shown as what was searched for."""

    @property
    def name(self) -> str:
        """Which one it is, as answers name it."""
        ...

    def complete(self, question: str, earlier: Sequence[str], titles: Sequence[str]) -> str:
        """The question on one line, understood without the earlier ones, which are told oldest first. `titles`: of
        what earlier answers cited, which all may read who will see it. Raises ModelDown where there is none to use."""
        ...


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
