"""Swaps of neighbours: now and then two passages that follow one another change places, by a draw.

Which of the two people find helpful then tells how much a place counts,
whatever stands there (Joachims, Swaminathan and Schnabel, WSDM 2017). The
draw is a hash of the question's id: the same answer is made again the same,
and what a reader may not see decides nothing.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def swap(ordered: Sequence[T], rate: float, question_id: str, depth: int) -> tuple[list[T], tuple[int, ...]]:
    """The list, and the two positions (from 1) that changed places; none for all but `rate` of the questions.

    Each pair of neighbours among the first `depth` is as likely as any other.
    """
    found = list(ordered)
    pairs = min(len(found), depth) - 1
    if rate <= 0 or pairs < 1:
        return found, ()
    digest = hashlib.sha256(b"swap:" + question_id.encode()).digest()
    if int.from_bytes(digest[:8]) >= rate * 2**64:
        return found, ()
    first = int.from_bytes(digest[8:16]) * pairs >> 64
    found[first], found[first + 1] = found[first + 1], found[first]
    return found, (first + 1, first + 2)
