"""Vector search over a version: each segment inside the visible rows, then the best of all.

Exact, unless a caller asks for the graphs of a version that has them.
"""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from indexers.segments.hnsw import GraphSearch
from indexers.segments.segment import Rows, Segment
from indexers.segments.vectors import Selected, search_few
from indexers.versions.version import OpenVersion
from vouch.errors import Usage
from vouch.values.candidate import Hit

_FEW = 32                               # rows are few when fewer than one in so many is visible
_SELECTED, _PLACES = "vectors selected", "vectors places"
Places = tuple[list[NDArray[np.int64]], NDArray[np.int64]]


class VectorIndex:
    """The vectors of one version's segments."""

    def __init__(self, version: OpenVersion, graphs: GraphSearch | None = None) -> None:
        """With `graphs`, results are approximate and not leak-free."""
        self._table = version.rows
        self._segments = version.segments
        self._dimensions = version.manifest.dimensions
        self._graphs = graphs

    def search(self, vector: NDArray[np.float32], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows by inner product with the normalised `vector`, ties by chunk id."""
        mask = self._table.inside(rows)
        if not rows.count or top < 1:
            return []
        query = unit_query(vector, self._dimensions)
        if self._graphs is None and rows.count * _FEW < len(mask):
            places, numbers = self._places(rows, mask)
            picked = [(segment.vectors, at) for segment, at in zip(self._segments, places, strict=True)]
            at, scores = search_few(picked, query, top)
            return self._table.best(numbers[at], scores, top)
        selected = self._selected(rows, mask)
        hits = [self._segment(n, segment, query, selected[n], top) for n, segment in enumerate(self._segments)]
        return self._table.best(np.concatenate([at for at, _ in hits]), np.concatenate([s for _, s in hits]), top)

    def _places(self, rows: Rows, mask: NDArray[np.bool_]) -> Places:
        """The numbers of the few rows, in each segment and in the version; kept with them."""
        kept: Places | None = rows.kept.get(_PLACES)
        if kept is None:
            inside = [np.flatnonzero(mask[start:end]) for start, end in pairwise(self._table.offsets)]
            kept = rows.kept[_PLACES] = inside, np.flatnonzero(mask)
        return kept

    def _selected(self, rows: Rows, mask: NDArray[np.bool_]) -> list[Selected]:
        """The rows as FAISS is told of them, segment by segment; kept with them."""
        kept: list[Selected] | None = rows.kept.get(_SELECTED)
        if kept is None:
            kept = rows.kept[_SELECTED] = [Selected(mask[start:end]) for start, end in pairwise(self._table.offsets)]
        return kept

    def _segment(
        self, number: int, segment: Segment, query: NDArray[np.float32], visible: Selected, top: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        if self._graphs is not None and segment.graph is not None:
            at, scores = segment.graph.search(query, visible, top, self._graphs)
        else:
            at, scores = segment.vectors.search(query, visible, top)
        return at + self._table.offsets[number], scores


def unit_query(vector: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """`vector` at length 1. Raises Usage for one that cannot be compared with rows of so many dimensions."""
    query = np.ascontiguousarray(vector, np.float32).reshape(-1)
    squares = float(np.add.reduce(np.square(query, dtype=np.float64)))      # in one order, for `query` is contiguous
    if len(query) != dimensions or not math.isfinite(squares):
        raise Usage(
            f"a question vector of {len(query)} dimensions cannot be compared with {dimensions}",
            cure="ask with the encoder that made the index, or build the index again: vouch rebuild",
        )
    return query / np.float32(math.sqrt(squares)) if squares > 0 else query
