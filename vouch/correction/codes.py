"""Codes that a question names, such as SEV4, LT-1234 or team 3-3: of one code nothing is sure that speaks of another.

Models of meaning hardly tell them apart, so no probability says it.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from vouch.correction.evaluation import Verdict
from vouch.documents.chunk import model_input
from vouch.values.candidate import Candidate, Passage

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_LETTERS_FIRST = re.compile(r"[^\W\d_]{1,8}-?\d{1,9}[^\W_]{0,4}\Z")
_OF_NUMBERS = re.compile(r"\d{1,4}-\d{1,4}\Z")
_NUMBERED = frozenset([
    "article", "block", "building", "case", "chapter", "contract", "desk", "document", "floor", "form", "gate",
    "group", "invoice", "item", "level", "line", "order", "page", "part", "phase", "policy", "project", "release",
    "room", "row", "rule", "section", "shelf", "sprint", "squad", "step", "table", "team", "ticket", "unit",
    "version", "zone",
])


def codes_in(question: str) -> list[str]:
    """In order. Numbers with a hyphen are one after a word for what is numbered: hours and spans are none."""
    words = [match.group() for match in _WORD.finditer(question)]
    return [word for before, word in pairwise(["", *words])
            if _LETTERS_FIRST.match(word)
            or (_OF_NUMBERS.match(word) and before.casefold() in _NUMBERED)]


def names(passage: Passage, code: str) -> bool:
    """Whether its title, headings, path or words hold the code: as one word or with a hyphen or a space in it, and in a
    longer word with hyphens, such as a SEV4-level outage. Numbers with more numbers beside them are another code."""
    read = model_input(passage.section, passage.text, passage.header)
    text = "\n".join([passage.title, passage.path, read]).casefold()
    if _OF_NUMBERS.match(code):
        return any(_stands_in(code.split("-"), match.group().split("-")) for match in _WORD.finditer(text))
    wanted = code.casefold().replace("-", "")
    parts = [match.group() for match in _PART.finditer(text)]
    return wanted in parts or any(one + other == wanted for one, other in pairwise(parts))


def _stands_in(code: Sequence[str], parts: Sequence[str]) -> bool:
    """With no number before it and none behind it."""
    padded = ["", *parts, ""]
    return any(
        padded[n : n + 2] == code and not padded[n - 1].isdigit() and not padded[n + 2].isdigit()
        for n in range(1, len(parts))
    )


def held_to_codes(question: str, verdict: Verdict, judged: Sequence[Candidate]) -> Verdict:
    """In doubt where the passage that would settle the question does not hold a code that it names."""
    if verdict.kind != "correct" or not judged:
        return verdict
    best = max(judged, key=lambda one: one.probability or 0.0)
    missing = next((code for code in codes_in(question) if not names(best.passage, code)), None)
    return verdict if missing is None else verdict.in_doubt(f"but it does not name {missing}")
