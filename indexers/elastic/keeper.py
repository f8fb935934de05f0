"""Brings to Elasticsearch the rows of a version that it lacks, and labels that have changed, and counts them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.elastic.notes import COMING, MISSING, UNSURE, Note, Notes
from indexers.elastic.server import ElasticServer
from indexers.labels import DEAD, LabelTable
from indexers.version import OpenVersion
from vouch.documents.chunk import model_input
from vouch.ports import Analyser

_STEP = 5_000                           # rows written between two notes: so many are unsure at once
_PAGE = 10_000


@dataclass(frozen=True)
class Place:
    """A segment in an index, with its rows in the numbering of the version."""

    index: str
    segment: str
    folder: Path
    span: slice

    @property
    def rows(self) -> int:
        return int(self.span.stop - self.span.start)


def places_of(version: OpenVersion, index: str) -> list[Place]:
    spans = [slice(start, end) for start, end in pairwise(version.rows.offsets)]
    held = [segment.folder for segment in version.segments]
    return [Place(index, folder.entry.id, folder.path, span) for folder, span in zip(held, spans, strict=True)]


class RowKeeper:
    def __init__(self, server: ElasticServer, notes: Notes, analyser: Analyser) -> None:
        self._server = server
        self._notes = notes
        self._analyser = analyser

    def complete(self, version: OpenVersion, place: Place, labels: LabelTable) -> None:
        """Every live row of the segment is there. May be killed and repeated."""
        while self._step(version, place, labels, relabel=False, most=place.rows):
            pass

    def follow(self, version: OpenVersion, place: Place, labels: LabelTable, go_on: Callable[[], bool]) -> None:
        """So it is, and has its label; or `go_on` said no, which it is asked between steps."""
        while go_on() and self._step(version, place, labels, relabel=True, most=_STEP):
            pass

    def _step(self, version: OpenVersion, place: Place, labels: LabelTable, *, relabel: bool, most: int) -> bool:
        """Writes up to `most` rows; whether there were any to write."""
        wanted = labels.of_rows(version)[place.span]
        alive = wanted != DEAD
        with self._notes.sole(place.segment):
            note, numbers = self._notes.read(place.segment, place.rows).numbered(labels.ids)
            target = np.append(numbers, [UNSURE]).astype(np.int32)[wanted]      # the last one for the dead
            absent = alive & (note.of_row <= COMING)
            stale = alive & ~absent & (note.of_row != target)
            rows, state = np.flatnonzero(absent)[:most], COMING
            if not len(rows) and relabel:
                rows, state = np.flatnonzero(stale)[:most], UNSURE
            if not len(rows) or not place.folder.is_dir():      # purged under its readers: it must not come back
                return False
            self._notes.write(place.segment, note.with_rows(rows, state))
            sent = self._rows(version, place, rows, [note.labels[n] for n in target[rows]])
            self._server.write(place.index, sent)
            self._server.refresh(place.index)
            self._notes.write(place.segment, note.with_rows(rows, target[rows]))
        return True

    def _rows(
        self, version: OpenVersion, place: Place, rows: NDArray[np.int64], labels: list[str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Rows as they are sent, in the order of their chunks, so that each document is read once."""
        home = self._notes.home_id
        chunk_of_row = np.full(len(version.rows.live), -1, np.int64)
        chunk_of_row[version.row_of_chunk] = np.arange(len(version.row_of_chunk))
        chunks = chunk_of_row[place.span][rows]
        for n in np.argsort(chunks):
            row = int(rows[n])
            terms = row_terms(version, int(chunks[n]), self._analyser)
            yield f"{place.segment}:{row}", {
                "home": home, "segment": place.segment, "row": row, "label": labels[n], "terms": terms,
            }

    def miscounted(self, places: list[Place]) -> list[Place]:
        """Segments of which the server holds other rows than is noted."""
        while True:
            names = [place.segment for place in places]
            stamp = self._notes.stamp(names)
            found = self._counts(places)
            wrong = [place for place in places if not self._as_noted(place, found.get(place.segment, {}))]
            if self._notes.stamp(names) == stamp:
                return wrong

    def _as_noted(self, place: Place, found: dict[str, int]) -> bool:
        note = self._notes.read(place.segment, place.rows)
        unsure, coming = (int(np.count_nonzero(note.of_row == state)) for state in (UNSURE, COMING))
        if not unsure and not coming:
            return found == note.counts()
        there = sum(note.counts().values()) + unsure
        return there <= sum(found.values()) <= there + coming

    def _counts(self, places: list[Place]) -> dict[str, dict[str, int]]:
        """Rows per segment and label, as the server counts them."""
        counts: dict[str, dict[str, int]] = {}
        sources = [{"segment": {"terms": {"field": "segment"}}}, {"label": {"terms": {"field": "label"}}}]
        query = {"terms": {"segment": [place.segment for place in places]}}
        after: dict[str, Any] = {}
        while places:
            grouped = {"composite": {"size": _PAGE, "sources": sources, **after}}
            reply = self._server.search(places[0].index, {"query": query, "size": 0, "aggs": {"by": grouped}})
            for bucket in reply["aggregations"]["by"]["buckets"]:
                key = bucket["key"]
                counts.setdefault(key["segment"], {})[key["label"]] = bucket["doc_count"]
            if "after_key" not in reply["aggregations"]["by"]:
                break
            after = {"after": reply["aggregations"]["by"]["after_key"]}
        return counts

    def note_anew(self, place: Place) -> None:
        """The note says what the server holds, read row by row."""
        with self._notes.sole(place.segment):
            if not place.folder.is_dir():               # swept or purged meanwhile
                return
            labels: dict[str, int] = {}
            of_row = np.full(place.rows, MISSING, np.int32)
            self._server.refresh(place.index)
            for row, label in self._there(place):
                if row < place.rows:
                    of_row[row] = labels.setdefault(label, len(labels))
            self._notes.write(place.segment, Note(tuple(labels), of_row))

    def _there(self, place: Place) -> Iterator[tuple[int, str]]:
        after: dict[str, Any] = {}
        while True:
            reply = self._server.search(place.index, {
                "query": {"term": {"segment": place.segment}}, "size": _PAGE, "source": False, "sort": ["row"],
                "docvalue_fields": ["row", "label"], "track_total_hits": False, **after,
            })
            hits = reply["hits"]["hits"]
            for hit in hits:
                yield int(hit["fields"]["row"][0]), str(hit["fields"]["label"][0])
            if len(hits) < _PAGE:
                return
            after = {"search_after": hits[-1]["sort"]}


def row_terms(version: OpenVersion, chunk: int, analyser: Analyser) -> list[str]:
    """The terms of a chunk's row: what publishing analysed, analysed again."""
    document = int(version.chunks.documents[chunk])
    held = version.stored(document).record.chunks[chunk - int(version.chunks.firsts[document])]
    return analyser.terms(model_input(held.section, version.passage_text(chunk)))
