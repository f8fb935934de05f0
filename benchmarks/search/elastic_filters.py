"""What a search on Elasticsearch costs when it names the visible rows itself, against the labels of today.

    make services
    VOUCH_LEXICAL__URL=http://127.0.0.1:PORT .venv/bin/python benchmarks/search/elastic_filters.py --chunks 300000

The first table is of bytes and needs no server (`--sizes` ends there). For the
second, each question goes to every way in turn, so that other work on the
machine disturbs all alike, and every way must find the same rows with the same
scores. `again` is a reader who asked before, whose filter is kept; `anew` is a
reader who never asked, whose filter is made first. Ways without labels count
whole segments to know that no row is missing; labels count the rows selected,
as vouch does. The index stays on the server, and is not written twice.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Report, p50, p95
from benchmarks.search.both_engines import timed
from benchmarks.search.corpus import REFERENCE_LENGTH, Corpus
from benchmarks.search.row_filters import FIELDS, LABELS, Layout, RowFilters, layouts, spans_of
from indexers.elastic.search import _ONE_THREAD
from indexers.elastic.server.client import ElasticOptions
from indexers.elastic.server.mapping import index_body
from indexers.elastic.server.server import ElasticServer
from indexers.elastic.sync.selection import Query
from indexers.search.engines import idf

SHARES = (1, 3, 30, 150, 297, 300)      # of 300 labels, those that a reader sees
SIZE = 132                              # hits asked for, as for the best 100
WARM = 2                                # questions before the clock starts
Times = dict[str, list[float]]


@dataclass(frozen=True)
class ShortRows(Corpus):
    """Rows of so many words, sooner written: they make the naming of rows a larger part of a search."""

    length: int = 12

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        return np.arange(self.chunks + 1) * self.length


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=300_000)
    parser.add_argument("--words", type=int, help="of a row, instead of 60 to 180")
    parser.add_argument("--again", type=int, default=20, help="questions of a reader who asked before")
    parser.add_argument("--anew", type=int, default=10, help="readers who never asked, with a question each")
    parser.add_argument("--without", action="append", default=[], metavar="WAY", help="a way that is left out")
    parser.add_argument("--sizes", action="store_true", help="bytes only, without a server")
    options = parser.parse_args()
    sizes(options.chunks)
    if not options.sizes:
        server = ElasticServer(ElasticOptions(os.environ["VOUCH_LEXICAL__URL"], timeout_seconds=300.0))
        corpus = ShortRows(options.chunks, length=options.words) if options.words else Corpus(options.chunks)
        times(server, corpus, options.again, options.anew, options.without)


def sizes(rows: int) -> None:
    """How long the filter of a search is, and how much a new reader sends before."""
    report = Report(f"Elasticsearch: bytes that name the visible of {rows:,} rows")
    report.table(["visible", "rows", "way", "with each search", "once for a reader"])
    sent: list[int] = []

    def send(name: str, numbers: list[int]) -> Query:
        sent.append(written({"rows": numbers}))
        return {"index": "sets", "id": name}

    for count in SHARES:
        for layout in layouts(rows):
            mask = layout.visible(count, 0)
            for way, made in RowFilters(layout, send).all.items():
                sent.clear()
                query = made(mask)
                report.line(f"{np.count_nonzero(mask):,}", layout.name, way,
                            "-" if query is None else f"{written(query):,}", f"{sum(sent):,}")


def times(server: ElasticServer, corpus: Corpus, again: int, anew: int, without: Sequence[str]) -> None:
    index = f"bench-filters-{corpus.chunks}-{corpus.length if isinstance(corpus, ShortRows) else 0}"
    found = layouts(corpus.chunks)
    write(server, index, corpus, found)
    report = Report(f"Elasticsearch {server.version()}: searches that name the visible of {corpus.chunks:,} rows")
    report.table(["visible", "rows", "way", "again p50, p95 ms", "of labels", "anew p50, p95 ms", "of labels"])
    asked = list(questions(corpus, WARM + max(again, anew)))
    for count in SHARES:
        for layout in found:
            held, new = Race(server, index, layout, count, without).run(asked[: WARM + again], asked[:anew])
            for way in held:
                cells = [cell for taken in (held, new)
                         for cell in (f"{p50(taken[way]):.0f}, {p95(taken[way]):.0f}",
                                      f"{p50(taken[way]) / p50(taken['labels']):.2f}")]
                report.line(f"{count * corpus.chunks // LABELS:,}", layout.name, way, *cells)
    report.end()


def write(server: ElasticServer, index: str, corpus: Corpus, labels: Sequence[Layout]) -> None:
    """The index holds every row afterwards, in the form of vouch's own with the further fields."""
    body = index_body(REFERENCE_LENGTH, 1)
    body["mappings"]["properties"] |= FIELDS
    server.make_index(index, body)
    if server._client.count(index=index)["count"] == corpus.chunks:
        return

    def rows() -> Iterator[tuple[str, dict[str, Any]]]:
        for segment, span in spans_of(corpus.chunks).items():
            for row in range(span.start, span.stop):
                yield f"{segment}:{row - span.start}", {
                    "home": "bench", "segment": segment, "row": row - span.start, "turn": 1,
                    "label": [layout.labels[layout.of_row[row]] for layout in labels],
                    "serial": row, "values": row, "word": str(row), "terms": " ".join(sorted(corpus.words(row))),
                }

    taken = timed(lambda: server.write(index, rows()))
    server.refresh(index)
    print(f"{corpus.chunks:,} rows written at {corpus.chunks / taken:,.0f} a second", flush=True)


class Race:
    """All ways to name what readers of `count` labels see, with one question after the other."""

    def __init__(
        self, server: ElasticServer, index: str, layout: Layout, count: int, without: Sequence[str] = ()
    ) -> None:
        self._server, self._index, self._layout, self._count = server, index, layout, count
        self._ways = RowFilters(layout, self._send)
        self._made = {way: made for way, made in self._ways.all.items() if way not in without}
        self._found: dict[str, Any] = {}

    def run(self, again: Sequence[list[Query]], anew: Sequence[list[Query]]) -> tuple[Times, Times]:
        """Milliseconds per way: of a reader whose filter is kept, and of readers who never asked."""
        mask = self._layout.visible(self._count, 0)
        kept = {way: query for way, made in self._made.items() if (query := made(mask)) is not None}
        held: Times = {way: [] for way in kept}
        new: Times = {way: [] for way in kept}
        for turn, terms in enumerate(again):
            for way in turned(list(kept), turn):
                held[way].append(1000 * timed(partial(self._search, way, kept[way], terms)))
            self._compare(int(np.count_nonzero(mask)))
        for reader, terms in enumerate(anew, start=1):
            mask = self._layout.visible(self._count, reader)
            for way in turned(list(kept), reader):
                new[way].append(1000 * timed(
                    lambda way=way, mask=mask, terms=terms:     # type: ignore[misc]
                    self._search(way, self._made[way](mask) or {}, terms)))
            self._compare(int(np.count_nonzero(mask)))
        return {way: taken[WARM:] for way, taken in held.items()}, new

    def _search(self, way: str, query: Query, terms: list[Query]) -> None:
        """As vouch does it."""
        counted = query if way == "labels" else self._ways.segments()
        self._found[way] = self._server.search(self._index, {
            "source": False, "track_total_hits": False, "size": SIZE,
            "query": {"bool": {"filter": [query], "should": terms, "minimum_should_match": 1}},
            "aggs": {"all": {"global": {}, "aggs": {"held": {"filter": counted}}}, **_ONE_THREAD},
        })

    def _compare(self, visible: int) -> None:
        """Raises AssertionError if a way found other rows than labels did, or not all rows are there."""
        first = self._hits("labels")
        for way, reply in self._found.items():
            held = reply["aggregations"]["all"]["held"]["doc_count"]
            assert held == (visible if way == "labels" else len(self._layout.of_row)), (way, held)
            assert self._hits(way) == first, way

    def _hits(self, way: str) -> list[tuple[str, float]]:
        return [(hit["_id"], hit["_score"]) for hit in self._found[way]["hits"]["hits"]]

    def _send(self, name: str, numbers: list[int]) -> Query:
        index = f"{self._index}-sets"
        self._server._client.index(index=index, id=name, document={"rows": numbers})
        return {"index": index, "id": name}


def questions(corpus: Corpus, count: int) -> Iterator[list[Query]]:
    """Clauses of questions of nine words; boosts are about those of a reader of all rows."""
    often = np.minimum(np.bincount(corpus.tokens, minlength=len(corpus.names)), corpus.chunks).tolist()
    for numbers in corpus.questions("nine words", count):
        yield [{"term": {"terms": {"value": corpus.names[n], "boost": idf(corpus.chunks, often[n])}}}
               for n in dict.fromkeys(numbers)]


def turned(ways: list[str], turn: int) -> list[str]:
    """Another one begins each turn: the first search of a question has the most to read."""
    return ways[turn % len(ways) :] + ways[: turn % len(ways)]


def written(query: Query) -> int:
    return len(json.dumps(query, separators=(",", ":")))


if __name__ == "__main__":
    main()
