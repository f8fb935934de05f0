"""Passages without the sentences that answer: near misses that nobody has to write."""

import re
from itertools import pairwise

_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(\[0-9])|\n+")
_LEAST = 120                            # characters that are left, or it is no passage


def without(passage: str, first: int, last: int) -> str | None:
    """Without the sentences and lines that these characters touch. None: little is left, or the words stand twice."""
    bounds = [0, *(found.end() for found in _ENDS.finditer(passage)), len(passage)]
    rest = "".join(passage[a:b] for a, b in pairwise(bounds) if b <= first or a >= last).strip()
    return rest if len(rest) >= _LEAST and passage[first:last].lower() not in rest.lower() else None
