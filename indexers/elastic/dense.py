"""Vector search on Elasticsearch: the server finds who may be among the best, FAISS's numbers decide.

The server computes the inner product of every visible row, in arithmetic of
its own. Rows whose product is near the cut or above it are then compared as
the exact index compares them, from the vectors in the segments: scores and
order are those of FAISS, bit for bit.

By graphs, if a caller asks for them, it finds about the best rows only, and what others may read decides which: that is
NOT LEAK-FREE, as with graphs in segments (hnsw.py).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.elastic.selection import Selection
from indexers.elastic.sync.consistent_read import ConsistentReader
from indexers.search.faiss_vectors import unit_query
from indexers.segments.hnsw import GraphSearch
from indexers.segments.rows import Rows
from indexers.segments.vectors import search_few
from indexers.versions.version import OpenVersion
from vouch.retrieval.candidate import Hit

# A score may not be negative: unit vectors have products from -1 on, give or take; others tie at 0, and ties stay in.
_PRODUCT = "Math.max(0.0, dotProduct(params.vector, 'vector') + 2.0)"
_MOST_BY_GRAPH = 10_000                 # candidates that a server looks at
_NEAR = 1e-4                            # products of the server and of FAISS differ by far less


class ElasticVectors:
    """The vectors of one version on the server, and in its segments."""

    def __init__(self, steady: ConsistentReader, version: OpenVersion, graphs: GraphSearch | None = None) -> None:
        """With `graphs`, results are approximate and not leak-free, but for narrow audiences."""
        self._steady = steady
        self._graphs = graphs
        self._table = version.rows
        self._segments = version.segments
        self._dimensions = version.manifest.dimensions

    def search(self, vector: NDArray[np.float32], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows by inner product with the normalised `vector`, ties by chunk id."""
        self._table.inside(rows)
        if not rows.count or top < 1:
            return []
        query = unit_query(vector, self._dimensions)
        broad = self._graphs is not None and rows.count >= self._graphs.exact_share * len(rows.mask)
        find = self._about_best if broad else self._near_best
        found = self._steady.ask(rows, lambda selection, stamp: self._steady.numbers(find(selection, query, top), rows))
        return self._compared(np.sort(found), query, top)

    def _near_best(self, selection: Selection, query: NDArray[np.float32], top: int) -> list[dict[str, Any]]:
        """The best rows, and some more, among which FAISS's numbers may choose otherwise."""
        script = {"source": _PRODUCT, "params": {"vector": query.tolist()}}
        scored = {"script_score": {"query": {"bool": {"filter": [selection.query]}}, "script": script}}
        found = self._steady.best(scored, top, selection, margin=_NEAR)
        least = found[min(top, len(found)) - 1]["_score"] - _NEAR
        return [hit for hit in found if hit["_score"] >= least]

    def _about_best(self, selection: Selection, query: NDArray[np.float32], top: int) -> list[dict[str, Any]]:
        """About the best rows, by a walk over the graphs."""
        assert self._graphs is not None
        wanted = min(top, _MOST_BY_GRAPH)
        knn = {"field": "vector", "query_vector": query.tolist(), "k": wanted, "filter": selection.query,
               "num_candidates": max(wanted, self._graphs.ef_search)}
        return self._steady.hits({"knn": knn, "size": wanted}, selection)

    def _compared(self, near: NDArray[np.int64], query: NDArray[np.float32], top: int) -> list[Hit]:
        """The `top` best of some rows, ascending, by FAISS's numbers."""
        if not len(near):
            return []
        inside = np.split(near, np.searchsorted(near, self._table.offsets[1:-1]))
        picked = [
            (segment.vectors, at - start)
            for segment, at, start in zip(self._segments, inside, self._table.offsets, strict=False)
        ]
        at, scores = search_few(picked, query, top)
        return self._table.best(near[at], scores, top)
