"""BM25 over what the reader sees: counts and document frequencies are those of the visible rows alone.

score = Σ over question terms of ln(1 + (N − df + ½)/(df + ½)) · weight, with
N and df over the visible rows and Lucene's k1 1.2, b 0.75; the weight is
stored with the posting (see postings.py). A term asked twice counts twice.
"""

import math
from collections.abc import Iterable, Sequence

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
        found = {term: self._visible(term, mask) for term in dict.fromkeys(terms)}
        scores = np.zeros(len(mask), np.float64)
        for term in terms:
            at, weights = found[term]
            if len(at):
                scores[at] += idf(rows.count, len(at)) * weights
        hits = np.flatnonzero(scores)
        return self._table.best(hits, scores[hits], top)

    def statistics(self, terms: Iterable[str], rows: Rows) -> Statistics:
        mask = self._table.inside(rows)
        return Statistics(rows.count, {term: len(self._visible(term, mask)[0]) for term in dict.fromkeys(terms)})

    def _visible(self, term: str, mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows inside `mask` that hold `term`, and their weights."""
        places, weights = [np.empty(0, np.int64)], [np.empty(0, np.float64)]
        for segment, start in zip(self._segments, self._table.offsets, strict=False):
            rows, weight = segment.postings.find(term)
            if len(rows):
                at = rows.astype(np.int64) + start
                inside = mask[at]
                places.append(at[inside])
                weights.append(weight[inside].astype(np.float64))
        return np.concatenate(places), np.concatenate(weights)
