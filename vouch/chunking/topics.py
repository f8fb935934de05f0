"""Where a text goes on to another subject, told by its words alone: no model reads it.

TextTiling (Hearst 1997, Computational Linguistics 23, 33 to 64): between two
sentences the words of a few before and of a few after are compared. A gap
where they are least alike, clearly less than around it, parts two subjects.
"""

import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from statistics import fmean, pstdev

TOPIC_RULES = "topics-1"                # raise when the chunks of an equal text could change
_BESIDE = 3                             # sentences on either side that are compared
_STEM = 5                               # first letters of a word that stand for it
_WORD = re.compile(r"[^\W\d_]{4,}")     # shorter ones are in every sentence


def turns(sentences: Sequence[str], sizes: Sequence[int], least: float) -> list[int]:
    """Numbers of the sentences that begin another subject, rising; never the first.

    The clearest are taken first, as long as what they part has at least the size `least`; `sizes` are those of the
    sentences.
    """
    words = [Counter(word[:_STEM] for word in _WORD.findall(text.casefold())) for text in sentences]
    likeness = [_cosine(words[max(0, n - _BESIDE) : n], words[n : n + _BESIDE]) for n in range(1, len(words))]
    if len(likeness) < 2:
        return []
    peaks = zip(_climbed(likeness), _climbed(likeness[::-1])[::-1], strict=True)
    depths = [before + after - 2 * here for here, (before, after) in zip(likeness, peaks, strict=True)]
    cutoff = max(fmean(depths) - pstdev(depths) / 2, 0)     # that of the paper
    valleys = [n + 1 for n, depth in enumerate(depths) if depth > cutoff and _is_valley(likeness, n)]
    upto, chosen = [0, *accumulate(sizes)], [0, len(sentences)]
    for n in sorted(valleys, key=lambda n: (-depths[n - 1], n)):
        at = bisect(chosen, n)
        if min(upto[n] - upto[chosen[at - 1]], upto[chosen[at]] - upto[n]) >= least:
            chosen.insert(at, n)
    return chosen[1:-1]


def _climbed(likeness: Sequence[float]) -> list[float]:
    """Of each gap the likeness at the top of the slope that goes up from it, backwards."""
    tops: list[float] = []
    for n, here in enumerate(likeness):
        tops.append(tops[-1] if n and likeness[n - 1] >= here else here)
    return tops


def _is_valley(likeness: Sequence[float], n: int) -> bool:
    """The first of equal ones counts."""
    return (n == 0 or likeness[n - 1] > likeness[n]) and (n + 1 == len(likeness) or likeness[n + 1] >= likeness[n])


def _cosine(before: Sequence[Counter[str]], after: Sequence[Counter[str]]) -> float:
    one, other = sum(before, Counter[str]()), sum(after, Counter[str]())
    dot = sum(count * other[word] for word, count in one.items())
    return dot / math.sqrt(_square(one) * _square(other)) if dot else 0.0


def _square(words: Counter[str]) -> int:
    return sum(count * count for count in words.values())
