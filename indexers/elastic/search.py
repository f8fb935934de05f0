"""Searches on Elasticsearch by words and by vectors, over exactly the rows that may be seen.

The server computes the inner product of every visible row, in arithmetic of
its own. Rows whose product is near the cut or above it are then compared as
the exact index compares them, from the vectors in the segments: scores and
order are those of FAISS, bit for bit.

By graphs, if a caller asks for them, it finds about the best rows only, and what others may read decides which: that is
NOT LEAK-FREE, as with graphs in segments (hnsw.py).
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.elastic.sync.consistent_read import ConsistentReader, Stamps
from indexers.elastic.sync.selection import Selection
from indexers.search.engines import idf
from indexers.search.faiss_vectors import unit_query
from indexers.segments.hnsw import GraphSearch
from indexers.segments.segment import Rows
from indexers.segments.vectors import search_few
from indexers.versions.version import OpenVersion
from vouch.values.candidate import Hit, Statistics

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


_CLAUSES = 1_000                        # terms of a question that count, the rarest: a server refuses more than 1,024
_SELECTIONS, _TERMS = 256, 20_000
# Elasticsearch scores large indices in several threads, which its scripted similarities are not made for: under load
# one list in forty lacked a hit. An aggregation that cannot be shared out, here over nothing, keeps a search in one.
_ONE_THREAD = {"one": {"filter": {"match_none": {}},
                       "aggs": {"thread": {"terms": {"field": "label", "min_doc_count": 0}}}}}


class Frequencies:
    """How many rows of a selection hold a term: kept by what is selected, of which they are a function."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, dict[str, int]] = OrderedDict()

    def of(self, selection: Selection) -> dict[str, int]:
        with self._lock:
            return dict(self._kept.get(selection.digest, {}))

    def learn(self, selection: Selection, counts: Mapping[str, int]) -> None:
        with self._lock:
            held = self._kept.setdefault(selection.digest, {})
            self._kept.move_to_end(selection.digest)
            if len(held) + len(counts) > _TERMS:
                held.clear()
            held.update(counts)
            while len(self._kept) > _SELECTIONS:
                self._kept.popitem(last=False)


class ElasticIndex:
    """The words of one version on the server."""

    def __init__(self, steady: ConsistentReader, frequencies: Frequencies, version: OpenVersion) -> None:
        self._steady = steady
        self._frequencies = frequencies
        self._table = version.rows

    def search(self, terms: Sequence[str], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows with a score above 0, ties by chunk id. Raises IndexDown rather than find less."""
        self._table.inside(rows)
        if not terms or top <= 0 or not rows.count:
            return []
        return self._steady.ask(rows, lambda selection, stamp: self._hits(selection, stamp, terms, rows, top))

    def statistics(self, terms: Iterable[str], rows: Rows) -> Statistics:
        self._table.inside(rows)
        wanted = list(dict.fromkeys(terms))
        if not rows.count:
            return Statistics(0, dict.fromkeys(wanted, 0))
        return self._steady.ask(
            rows, lambda selection, stamp: Statistics(selection.count, self._counts(selection, stamp, wanted)))

    def _counts(self, selection: Selection, stamp: Stamps, terms: Iterable[str]) -> dict[str, int]:
        """How many of the rows hold each term, asked where not known."""
        wanted = list(dict.fromkeys(terms))
        known = self._frequencies.of(selection)
        new = [term for term in wanted if term not in known]
        if new:
            filters = {str(n): {"term": {"terms": term}} for n, term in enumerate(new)}
            reply = self._steady.reply({
                "query": selection.query, "size": 0, "track_total_hits": True,
                "aggs": {"terms": {"filters": {"filters": filters}}},
            }, selection)
            buckets = reply["aggregations"]["terms"]["buckets"]
            counts = {term: int(buckets[str(n)]["doc_count"]) for n, term in enumerate(new)}
            if self._steady.stamp == stamp:
                self._frequencies.learn(selection, counts)
            known |= counts
        return {term: known[term] for term in wanted}

    def _hits(self, selection: Selection, stamp: Stamps, terms: Sequence[str], rows: Rows, top: int) -> list[Hit]:
        counts = self._counts(selection, stamp, terms)
        asked: list[dict[str, Any]] = [
            {"term": {"terms": {"value": term, "boost": times * idf(selection.count, counts[term])}}}
            for term, times in Counter(terms).items() if counts[term]
        ]
        if not asked:
            return []
        if len(asked) > _CLAUSES:
            asked = sorted(asked, key=lambda clause: -clause["term"]["terms"]["boost"])[:_CLAUSES]
        query = {"bool": {"filter": [selection.query], "should": asked, "minimum_should_match": 1}}
        raw_hits = self._steady.best(query, top, selection, aggs=_ONE_THREAD)
        scores = np.array([hit["_score"] for hit in raw_hits], np.float32).astype(np.float64)
        return self._table.best(self._steady.numbers(raw_hits, rows), scores, top)
