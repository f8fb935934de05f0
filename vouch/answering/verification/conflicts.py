"""Where two documents disagree: the same sentence, but for a number of the same unit.

False alarms are worse than silence here: "part-time employees" and "employees"
may both be right. So the words of the two must be the same, but for such as
mean nothing by themselves.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from vouch.answering.verification.citations import Sentence, Verified
from vouch.answering.verification.quantities import quantities
from vouch.documents.text.sentences import sentence_spans
from vouch.values.candidate import Passage

FEWEST_WORDS = 2                        # in common: fewer are about anything
_WORD = re.compile(r"[^\W\d_]+")
_FILLERS = (
    "a an the of in on at for to by per and or is are was were be been being has have had do does did will shall may "
    "can must should would could get gets receive receives take takes earn earns it its they their them this that "
    "these those we our you your us all each every any now currently today up about around with as entitled eligible"
)
_EMPTY = frozenset(_FILLERS.split())


@dataclass(frozen=True, slots=True)
class Said:
    """What a document says: `words` without numbers, and one number, as it is written, of a `kind`."""

    passage: Passage
    words: frozenset[str]
    kind: str
    value: object
    written: str


def disagreement(verified: Verified) -> tuple[Said, Said] | None:
    """Two cited documents that hold different numbers of one unit in the same words, what is newer first."""
    passages = {citation.number: citation.passage for citation in verified.citations}
    said = [one for s in verified.sentences for one in _said(s, passages[s.citations[0]])]
    for one, other in combinations(said, 2):
        alike = one.words == other.words and one.kind == other.kind
        if alike and one.value != other.value and one.passage.document != other.passage.document:
            return (other, one) if _newer(other.passage, one.passage) else (one, other)
    return None


def _said(sentence: Sentence, passage: Passage) -> Iterator[Said]:
    for start, end in sentence_spans(sentence.text):
        text = sentence.text[start:end]
        named = quantities(text)
        rest, reached = "", 0
        for one in named:
            rest, reached = f"{rest} {text[reached : one.start]}", one.over
        words = frozenset(_stem(word) for word in _WORD.findall(f"{rest} {text[reached:]}".casefold())) - _EMPTY
        measured = [(one, one.means[0][-1]) for one in named if one.means[0][-1].measure]
        if len(measured) == len(named) == 1 and len(words) >= FEWEST_WORDS:
            one, quantity = measured[0]
            yield Said(passage, words, quantity.kind, quantity.value, " ".join(text[one.start : one.over].split()))


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 4 and word not in _EMPTY else word


def _newer(one: Passage, other: Passage) -> bool:
    return bool(one.changed_at and other.changed_at and one.changed_at > other.changed_at)
