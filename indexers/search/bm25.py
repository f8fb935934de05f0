"""BM25 over what the reader sees: counts and document frequencies are those of the visible rows alone.

score = Σ over question terms of ln(1 + (N − df + ½)/(df + ½)) · weight, with
N and df over the visible rows and Lucene's k1 1.2, b 0.75; the weight is
stored with the posting (see segments/postings.py). A term asked twice counts twice.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from indexers.segments.rows import Rows
from indexers.segments.term_scores import CommonTerm, RareTerm
from indexers.versions.version import OpenVersion
from vouch.retrieval.candidate import Hit, Statistics

Term = RareTerm | CommonTerm


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
        found = self._found(terms)
        scores = np.zeros(len(mask), np.float64)
        frequencies = {name: _frequency(held, mask) for name, held in found.items()}
        for name in terms:
            if not frequencies[name]:   # it is in hidden rows alone, or nowhere: neither may take longer than the other
                continue
            for span, held in found[name]:
                held.add(idf(rows.count, frequencies[name]), scores[span])
        if rows.count < len(mask):
            scores *= mask              # rows outside were summed along, which is faster than leaving them out
        return self._table.best_positive(scores, top)

    def statistics(self, terms: Iterable[str], rows: Rows) -> Statistics:
        mask = self._table.inside(rows)
        return Statistics(rows.count, {name: _frequency(held, mask) for name, held in self._found(terms).items()})

    def _found(self, terms: Iterable[str]) -> dict[str, list[tuple[slice, Term]]]:
        """Each term as the segments hold it, with the rows of the segment."""
        spans = [slice(start, end) for start, end in pairwise(self._table.offsets)]
        places = list(zip(spans, (segment.terms for segment in self._segments), strict=True))
        return {
            name: [(span, held) for span, scores in places if (held := scores.term(name)) is not None]
            for name in dict.fromkeys(terms)
        }


def _frequency(found: Sequence[tuple[slice, Term]], mask: NDArray[np.bool_]) -> int:
    """How many rows inside `mask` hold a term."""
    return sum(held.frequency(mask[span]) for span, held in found)
