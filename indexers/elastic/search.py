"""BM25 on Elasticsearch over exactly the rows that may be seen, with counts of those rows alone."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from indexers.bm25 import idf
from indexers.elastic.notes import Notes, Stamp
from indexers.elastic.selection import MOST_NAMED, Query, Selection, select
from indexers.elastic.server import Away, ElasticServer
from indexers.rows import Rows
from indexers.version import OpenVersion
from vouch.errors import IndexDown
from vouch.retrieval.candidate import Hit, Statistics

_TRIES = 20
_SPARE = 32                             # hits asked for beyond those wanted, in which a tie at the cut usually ends
_CLAUSES = 1_000                        # terms of a question that count, the rarest: a server refuses more than 1,024
_SELECTIONS, _TERMS = 256, 20_000
T = TypeVar("T")


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
    """One version in one index of the server. `doubt` is told when the server holds something else than is noted."""

    def __init__(
        self, server: ElasticServer, notes: Notes, frequencies: Frequencies, index: str, version: OpenVersion,
        doubt: Callable[[], None],
    ) -> None:
        self._server = server
        self._notes = notes
        self._frequencies = frequencies
        self._index = index
        self._table = version.rows
        self._doubt = doubt
        self._segments = [segment.folder.entry.id for segment in version.segments]
        self._spans = [slice(start, end) for start, end in pairwise(version.rows.offsets)]

    def search(self, terms: Sequence[str], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows with a score above 0, ties by chunk id. Raises IndexDown rather than find less."""
        self._table.inside(rows)
        if not terms or top <= 0 or not rows.count:
            return []
        return self._steadily(rows, lambda selection, stamp: self._hits(selection, stamp, terms, rows, top))

    def statistics(self, terms: Iterable[str], rows: Rows) -> Statistics:
        self._table.inside(rows)
        wanted = list(dict.fromkeys(terms))
        if not rows.count:
            return Statistics(0, dict.fromkeys(wanted, 0))
        return self._steadily(
            rows, lambda selection, stamp: Statistics(selection.count, self._counts(selection, stamp, wanted)))

    def _steadily(self, rows: Rows, ask: Callable[[Selection, tuple[Stamp, ...]], T]) -> T:
        """What `ask` gives while nobody changes what the server holds of these segments."""
        try:
            for _ in range(_TRIES):
                stamp = self._notes.stamp(self._segments)
                try:
                    answer = ask(self._selection(rows, stamp), stamp)
                except _Otherwise as error:
                    if self._notes.stamp(self._segments) == stamp:
                        raise IndexDown(str(error), cure="vouch ingest or a running worker mends it") from error
                    continue
                if self._notes.stamp(self._segments) == stamp:
                    return answer
        except IndexDown:
            self._doubt()
            raise
        raise Away("rows are being labelled anew all the time", cure="ask again in a moment")

    def _selection(self, rows: Rows, stamp: tuple[Stamp, ...]) -> Selection:
        held = rows.kept.get("elasticsearch")
        if held is None or held[0] != stamp:
            notes = {
                name: self._notes.read(name, span.stop - span.start)
                for name, span in zip(self._segments, self._spans, strict=True)
            }
            held = rows.kept["elasticsearch"] = (stamp, select([rows.mask[span] for span in self._spans], notes))
        selection: Selection = held[1]
        return selection

    def _counts(self, selection: Selection, stamp: tuple[Stamp, ...], terms: Iterable[str]) -> dict[str, int]:
        """How many of the rows hold each term, asked where not known."""
        wanted = list(dict.fromkeys(terms))
        known = self._frequencies.of(selection)
        new = [term for term in wanted if term not in known]
        if new:
            filters = {str(n): {"term": {"terms": term}} for n, term in enumerate(new)}
            reply = self._server.search(self._index, {
                "query": selection.query, "size": 0, "track_total_hits": True,
                "aggs": {"terms": {"filters": {"filters": filters}}},
            })
            total = reply["hits"]["total"]["value"]
            if total != selection.count:
                raise _Otherwise(f"Elasticsearch finds {total} rows where {selection.count} are visible")
            buckets = reply["aggregations"]["terms"]["buckets"]
            counts = {term: int(buckets[str(n)]["doc_count"]) for n, term in enumerate(new)}
            if self._notes.stamp(self._segments) == stamp:
                self._frequencies.learn(selection, counts)
            known |= counts
        return {term: known[term] for term in wanted}

    def _hits(
        self, selection: Selection, stamp: tuple[Stamp, ...], terms: Sequence[str], rows: Rows, top: int
    ) -> list[Hit]:
        counts = self._counts(selection, stamp, terms)
        asked: list[dict[str, Any]] = [
            {"term": {"terms": {"value": term, "boost": times * idf(selection.count, counts[term])}}}
            for term, times in Counter(terms).items() if counts[term]
        ]
        if not asked:
            return []
        if len(asked) > _CLAUSES:
            asked = sorted(asked, key=lambda clause: -clause["term"]["terms"]["boost"])[:_CLAUSES]
        found = self._best({"bool": {"filter": [selection.query], "should": asked, "minimum_should_match": 1}}, top)
        numbers = np.array([self._row(hit["_id"]) for hit in found], np.int64)
        if not rows.mask[numbers].all():
            raise _Otherwise("Elasticsearch finds rows that were not asked for")
        scores = np.array([hit["_score"] for hit in found], np.float32).astype(np.float64)
        return self._table.best(numbers, scores, top)

    def _best(self, query: Query, top: int) -> list[dict[str, Any]]:
        """The `top` best hits and all that tie with the last of them."""
        size = top + _SPARE
        while True:
            size = min(size, MOST_NAMED)
            reply = self._server.search(
                self._index, {"query": query, "size": size, "source": False, "track_total_hits": False})
            hits: list[dict[str, Any]] = reply["hits"]["hits"]
            if len(hits) < size or size == MOST_NAMED or hits[-1]["_score"] < hits[top - 1]["_score"]:
                return hits
            size *= 4

    def _row(self, name: str) -> int:
        segment, _, row = name.partition(":")
        if segment not in self._segments:
            raise _Otherwise("Elasticsearch finds rows of segments that were not asked for")
        return int(self._spans[self._segments.index(segment)].start) + int(row)


class _Otherwise(Exception):
    """The server holds something else than is noted, or than was noted a moment ago."""
