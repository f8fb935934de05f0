"""BM25 over what the reader sees: counts and document frequencies are those of the visible rows alone.

score = Σ over question terms of ln(1 + (N − df + ½)/(df + ½)) · weight, with
N and df over the visible rows and Lucene's k1 1.2, b 0.75; the weight is
stored with the posting (see postings.py). A term asked twice counts twice.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from indexers.rows import Rows
from indexers.version import OpenVersion
from vouch.retrieval.candidate import Hit, Statistics


def idf(rows: int, frequency: int) -> float:
    return math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5))


class LexicalIndex:
    """The posting lists of one version's segments."""

    def __init__(self, version: OpenVersion) -> None:
        self._table = version.rows
        self._segments = version.segments

    def search(self, terms: Sequence[str], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows with a score above 0, ties by chunk id.

        Sums run in the order of `terms`, in float64, so that a score does not
        depend on how rows are spread over segments.
        """
        mask = self._table.inside(rows)
        factors = {term: idf(rows.count, self._frequency(term, mask)) for term in dict.fromkeys(terms)}
        scores = np.zeros(len(mask), np.float64)
        for segment, (start, end) in zip(self._segments, pairwise(self._table.offsets), strict=True):
            for term in terms:
                segment.terms.add(term, factors[term], scores[start:end])
        scores *= mask                  # rows outside were summed along, which is faster than leaving them out
        hits = np.flatnonzero(scores > 0)
        return self._table.best(hits, scores[hits], top)

    def statistics(self, terms: Iterable[str], rows: Rows) -> Statistics:
        mask = self._table.inside(rows)
        return Statistics(rows.count, {term: self._frequency(term, mask) for term in dict.fromkeys(terms)})

    def _frequency(self, term: str, mask: NDArray[np.bool_]) -> int:
        """How many rows inside `mask` hold `term`."""
        spans = zip(self._segments, pairwise(self._table.offsets), strict=True)
        return sum(segment.terms.frequency(term, mask[start:end]) for segment, (start, end) in spans)
