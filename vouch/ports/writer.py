"""What words an answer, the evidence it is given and the draft it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vouch.retrieval.candidate import Passage

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
    quotes: tuple[tuple[int, int, int], ...]
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
