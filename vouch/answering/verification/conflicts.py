"""Where two documents disagree: the same sentence, but for a number of the same unit.

False alarms are worse than silence here: "part-time employees" and "employees"
may both be right. So the words of the two must be the same, but for their
endings and such as mean nothing by themselves. What one of them leaves out
because its title or a heading says it, and nothing else, counts as said.
What holds for tier 1 and what holds for tier 2 are meant to differ.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from vouch.answering.verification.citations import Sentence, Verified
from vouch.answering.verification.quantities import quantities
from vouch.documents.instructions import named
from vouch.documents.text.sentences import sentence_spans
from vouch.values.candidate import Passage

FEWEST_WORDS = 2                        # that both are about: fewer are about anything
_WORD = re.compile(r"[^\W\d_]+")
_FILLERS = (
    "a an the of in on at for to by per and or is are was were be been being has have had do does did will shall may "
    "can must should would could get gets receive receives take takes earn earns it its they their them this that "
    "these those we our you your us all each every any now currently today up about around with as entitled eligible"
)
_EMPTY = frozenset(_FILLERS.split())
_MEMBER = re.compile(                   # which of several of a kind, that have rules of their own
    r"\b([Tt]ier|[Ll]evel|[Gg]rade|[Cc]lass|[Bb]and|[Zz]one|[Cc]ategory|[Pp]lan|TIER|LEVEL|GRADE|CLASS|BAND|ZONE|PLAN)"
    r"[ _-]?0*(\d{1,3}\b|(?:[IVX]{1,4}|[A-H])\b(?! [a-z]))")
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:(?<!s)s)?\Z")
_VERBAL = re.compile(r"(?<=[^\W\d_]{3})(?:ed|ing)\Z")
_DOUBLED = re.compile(r"([^\W\d_])\1\Z")


@dataclass(frozen=True, slots=True)
class Said:
    """What a document says: `words` without numbers, and one number, as it is written, of a `kind`.

    `above`: the words of its title and of each heading. `members`: which of several of a kind it is about.
    """

    passage: Passage
    words: frozenset[str]
    above: tuple[frozenset[str], ...]
    members: frozenset[tuple[str, str]]
    kind: str
    value: object
    written: str


def disagreement(verified: Verified) -> tuple[Said, Said] | None:
    """Two cited documents that hold different numbers of one unit in the same words, what is newer first."""
    passages = {citation.number: citation.passage for citation in verified.citations}
    # What is left out of a sentence may say what tells the two apart.
    said = [one for s in verified.sentences if not s.left_out for one in _said(s, passages[s.citations[0]])]
    for one, other in combinations(said, 2):
        if _alike(one, other) and one.value != other.value and one.passage.document != other.passage.document:
            return (other, one) if _newer(other.passage, one.passage) else (one, other)
    return None


def _alike(one: Said, other: Said) -> bool:
    """Whether both are about the same."""
    if one.kind != other.kind or len(one.words | other.words) < FEWEST_WORDS or _of_two_kinds(one, other):
        return False
    return one.words == other.words or _leaves_out(one, other) or _leaves_out(other, one)


def _of_two_kinds(one: Said, other: Said) -> bool:
    """Whether both name which of a kind they are about, and none in common."""
    kinds = {kind for kind, _ in one.members} & {kind for kind, _ in other.members}
    return not kinds.issubset(kind for kind, _ in one.members & other.members)


def _leaves_out(short: Said, whole: Said) -> bool:
    """Whether `short` says the same under a heading of it: one that speaks of nothing else than `whole` does.

    So "employees" under "Full-time and part-time employees" are not the part-time ones.
    """
    missing = whole.words - short.words
    return short.words < whole.words and any(missing <= heading <= whole.words for heading in short.above)


def _said(sentence: Sentence, passage: Passage) -> Iterator[Said]:
    above = tuple(map(_stems, [passage.title, *passage.section]))
    members = _members(passage)
    for start, end in sentence_spans(sentence.text):
        text = sentence.text[start:end]
        named = quantities(text)
        rest, reached = "", 0
        for value in named:
            rest, reached = f"{rest} {text[reached : value.start]}", value.over
        words = _stems(f"{rest} {text[reached:]}")
        measured = [(value, value.means[0][-1]) for value in named if value.means[0][-1].measure]
        if len(measured) == len(named) == 1 and words:
            value, quantity = measured[0]
            written = " ".join(text[value.start : value.over].split())
            yield Said(passage, words, above, members, quantity.kind, quantity.value, written)


def _members(passage: Passage) -> frozenset[tuple[str, str]]:
    """By its title, headings and path."""
    above = "\n".join((named(passage.path), passage.title, *passage.section))
    return frozenset((kind.casefold(), which) for kind, which in _MEMBER.findall(above))


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORD.findall(text.casefold()) if word not in _EMPTY)


def _stem(word: str) -> str:
    """Without the endings of number and tense: rotate, rotates, rotated and rotating are one, rotation is another."""
    if len(word) < 4:
        return word
    word = _VERBAL.sub("", _ENDING.sub("", word)).removesuffix("e")
    word = _DOUBLED.sub(r"\1", word)
    return word[:-1] + "i" if word.endswith("y") else word


def _newer(one: Passage, other: Passage) -> bool:
    return bool(one.changed_at and other.changed_at and one.changed_at > other.changed_at)
