"""ROUGE-L of two texts: the longest common subsequence of their stemmed words (Lin 2004).

Recall is its length by the words of the known text, precision by those of the
given one; the figure is their harmonic mean. Words are runs of letters and
digits, lower-cased, as the usual implementation has them; which stemmer
shortens them is the caller's choice, and moves the figure a little.
"""

import re
from collections.abc import Callable, Sequence

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_KEPT = 3                       # shorter words are not stemmed


def rouge_words(text: str, stem: Callable[[str], str]) -> list[str]:
    """The words as they are compared."""
    return [word if len(word) <= _LONGEST_KEPT else stem(word) for word in _WORD.findall(text.lower())]


def rouge_l(given: Sequence[str], known: Sequence[str]) -> float:
    """0 where either is without words."""
    common = _common(given, known)
    return 2 * common / (len(given) + len(known)) if common else 0.0


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    Bits of a whole number stand for the words of `a` (Crochemore et al. 2001): one addition for each word of `b`.
    """
    where: dict[str, int] = {}
    for place, word in enumerate(a):
        where[word] = where.get(word, 0) | 1 << place
    whole = (1 << len(a)) - 1
    row = whole
    for word in b:
        same = row & where.get(word, 0)
        row = ((row + same) | (row - same)) & whole
    return len(a) - row.bit_count()
