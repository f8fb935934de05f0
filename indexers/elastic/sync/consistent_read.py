"""Rows of one version, asked of the server while nobody changes what it holds of them."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexers.elastic.server.client import ServerDown
from indexers.elastic.server.mapping import MOST_NAMED
from indexers.elastic.server.server import ElasticServer
from indexers.elastic.sync.row_journal import RowJournal, Stamp
from indexers.elastic.sync.row_sync import note_name
from indexers.elastic.sync.selection import Query, Selection, select
from indexers.segments.segment import Rows
from indexers.versions.version import OpenVersion
from vouch.errors import IndexDown

_TRIES = 20
_SPARE = 32                             # hits asked for beyond those wanted, in which a tie at the cut usually ends
T = TypeVar("T")
Stamps = tuple[Stamp, ...]


class ConsistentReader:
    """`doubt` is told when the server holds something else than is noted."""

    def __init__(
        self, server: ElasticServer, notes: RowJournal, index: str, form: Query, version: OpenVersion,
        doubt: Callable[[], None],
    ) -> None:
        self._server = server
        self._notes = notes
        self._index = index
        self._form = form
        self._doubt = doubt
        self._segments = [segment.folder.entry.id for segment in version.segments]
        self._names = [note_name(segment, index) for segment in self._segments]
        self._spans = [slice(start, end) for start, end in pairwise(version.rows.offsets)]

    @property
    def stamp(self) -> Stamps:
        """Another one after what the server holds of these segments was changed."""
        return self._notes.stamp(self._names)

    def ask(self, rows: Rows, question: Callable[[Selection, Stamps], T]) -> T:
        """What `question` gives while nobody changes that. Raises IndexDown."""
        try:
            for _ in range(_TRIES):
                stamp = self.stamp
                try:
                    answer = question(self._selection(rows, stamp), stamp)
                except Inconsistent as error:
                    if self.stamp == stamp:
                        raise IndexDown(str(error), cure="vouch ingest or a running worker fixes it") from error
                    continue
                if self.stamp == stamp:
                    return answer
        except IndexDown:
            self._doubt()
            raise
        raise ServerDown("rows are being relabeled all the time", cure="ask again in a moment")

    def reply(self, body: dict[str, Any], whole: Selection | None = None) -> dict[str, Any]:
        """The reply to a search. Raises Inconsistent if it should find a `whole` selection and finds less or more."""
        self._server.trust(self._index, self._form)
        reply = self._server.search(self._index, body)
        if whole is not None:
            _compare(reply["hits"]["total"]["value"], whole)
        return reply

    def best(
        self, query: Query, top: int, selection: Selection, *, margin: float = 0.0, aggs: Query | None = None
    ) -> list[dict[str, Any]]:
        """The `top` best hits, and all whose score is not more than `margin` below that of the last of them.

        Raises Inconsistent if the server does not hold every row of the selection, hit or not.
        """
        size = top + _SPARE
        while True:
            size = min(size, MOST_NAMED)
            hits = self.hits({"query": query, "size": size, "aggs": aggs or {}}, selection)
            if len(hits) < size or size == MOST_NAMED or hits[-1]["_score"] < hits[top - 1]["_score"] - margin:
                return hits
            size *= 4

    def hits(self, body: dict[str, Any], selection: Selection) -> list[dict[str, Any]]:
        """The hits. Raises Inconsistent if the server does not hold every row of the selection, hit or not."""
        held = {"all": {"global": {}, "aggs": {"held": {"filter": selection.query}}}}
        aggs = {**held, **body.get("aggs", {})}
        reply = self.reply({"source": False, "track_total_hits": False, **body, "aggs": aggs})
        _compare(reply["aggregations"]["all"]["held"]["doc_count"], selection)
        hits: list[dict[str, Any]] = reply["hits"]["hits"]
        return hits

    def numbers(self, hits: Sequence[dict[str, Any]], rows: Rows) -> NDArray[np.int64]:
        """The rows of the version that were hit. Raises Inconsistent if one of them was not asked for."""
        numbers = np.array([self._row(hit["_id"]) for hit in hits], np.int64)
        if not rows.mask[numbers].all():
            raise Inconsistent("Elasticsearch finds rows that were not asked for")
        return numbers

    def _selection(self, rows: Rows, stamp: Stamps) -> Selection:
        held = rows.kept.get("elasticsearch")
        if held is None or held[0] != stamp:
            notes = {
                segment: self._notes.read(name, span.stop - span.start)
                for segment, name, span in zip(self._segments, self._names, self._spans, strict=True)
            }
            held = rows.kept["elasticsearch"] = (stamp, select([rows.mask[span] for span in self._spans], notes))
        selection: Selection = held[1]
        return selection

    def _row(self, name: str) -> int:
        segment, _, row = name.partition(":")
        if segment not in self._segments:
            raise Inconsistent("Elasticsearch finds rows of segments that were not asked for")
        return int(self._spans[self._segments.index(segment)].start) + int(row)


def _compare(found: int, selection: Selection) -> None:
    if found != selection.count:
        raise Inconsistent(f"Elasticsearch finds {found} rows where {selection.count} are visible")


class Inconsistent(Exception):
    """The server holds something else than is noted, or than was noted a moment ago."""
