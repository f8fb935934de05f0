"""One term of one segment: how many visible rows hold it, and its share of their scores.

A term that many rows hold is spread once over an array of all rows: adding
and counting then run through memory in order, five times faster.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from indexers.segments.postings import Postings

_MANY = 4                               # a term is common when one row in so many holds it
_SPREAD = 64                            # common terms kept spread per segment, four bytes a row each


@dataclass(frozen=True, slots=True)
class RareTerm:
    """`rows` hold the term, with `weights`."""

    rows: NDArray[np.intp]
    weights: NDArray[np.float32]

    def frequency(self, visible: NDArray[np.bool_]) -> int:
        """How many of the visible rows hold the term."""
        return int(np.count_nonzero(visible.take(self.rows)))

    def add(self, idf: float, scores: NDArray[np.float64]) -> None:
        """Adds idf · weight, in float64, to the score of every row that holds the term."""
        np.add.at(scores, self.rows, np.multiply(self.weights, idf, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class CommonTerm:
    """Like RareTerm: `holders` is a bitmap of the rows that hold the term, `weights` has one number per row."""

    holders: NDArray[np.uint8]
    weights: NDArray[np.float32]

    def frequency(self, visible: NDArray[np.bool_]) -> int:
        return int(np.bitwise_count(self.holders & np.packbits(visible)).sum())

    def add(self, idf: float, scores: NDArray[np.float64]) -> None:
        scores += np.multiply(self.weights, idf, dtype=np.float64)


class TermScores:
    """The terms of a segment of `rows` rows, ready for scoring. Threads may share it."""

    def __init__(self, postings: Postings, rows: int) -> None:
        self._postings = postings
        self._rows = rows
        self._spread = lru_cache(maxsize=_SPREAD)(self._spread_out)

    def term(self, name: str) -> RareTerm | CommonTerm | None:
        """None if no row holds the term."""
        rows, weights = self._postings.find(name)
        if not len(rows):
            return None
        if len(rows) * _MANY < self._rows:
            return RareTerm(rows.astype(np.intp), weights)
        return self._spread(name)

    def _spread_out(self, name: str) -> CommonTerm:
        rows, weights = self._postings.find(name)
        spread = np.zeros(self._rows, np.float32)
        spread[rows] = weights
        return CommonTerm(np.packbits(spread > 0), spread)
