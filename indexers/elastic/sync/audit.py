"""What Elasticsearch truly holds of the segments of a version, compared with what is noted."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from indexers.elastic.server.server import ElasticServer
from indexers.elastic.sync.row_journal import COMING, MISSING, UNSURE, JournalEntry, RowJournal
from indexers.elastic.sync.row_sync import IndexedSegment

_PAGE = 10_000


class RowAudit:
    def __init__(self, server: ElasticServer, notes: RowJournal) -> None:
        self._server = server
        self._notes = notes

    def miscounted(self, places: list[IndexedSegment]) -> list[IndexedSegment]:
        """Segments of which the server holds other rows than is noted."""
        while True:
            names = [place.note for place in places]
            stamp = self._notes.stamp(names)
            found = self.counts(places)
            wrong = [place for place in places if not self._as_noted(place, found.get(place.segment, {}))]
            if self._notes.stamp(names) == stamp:
                return wrong

    def _as_noted(self, place: IndexedSegment, found: dict[str, int]) -> bool:
        note = self._notes.read(place.note, place.rows)
        unsure, coming = (int(np.count_nonzero(note.of_row == state)) for state in (UNSURE, COMING))
        if not unsure and not coming:
            return found == note.counts()
        there = sum(note.counts().values()) + unsure
        return there <= sum(found.values()) <= there + coming

    def counts(self, places: list[IndexedSegment]) -> dict[str, dict[str, int]]:
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

    def note_anew(self, place: IndexedSegment) -> None:
        """The note says what the server holds, read row by row."""
        with self._notes.sole(place.note):
            if place.gone:
                return
            labels: dict[str, int] = {}
            of_row = np.full(place.rows, MISSING, np.int32)
            last = self._notes.read(place.note, place.rows).turn
            self._server.refresh(place.index)
            for row, label, turn in self._there(place):
                last = max(last, turn)
                if row < place.rows:
                    of_row[row] = labels.setdefault(label, len(labels))
            self._notes.write(place.note, JournalEntry(tuple(labels), of_row, last))

    def _there(self, place: IndexedSegment) -> Iterator[tuple[int, str, int]]:
        """Each row, its label and the turn it was labeled at."""
        after: dict[str, Any] = {}
        while True:
            reply = self._server.search(place.index, {
                "query": {"term": {"segment": place.segment}}, "size": _PAGE, "source": False, "sort": ["row"],
                "docvalue_fields": ["row", "label", "turn"], "track_total_hits": False, **after,
            })
            hits = reply["hits"]["hits"]
            for hit in hits:
                fields = hit["fields"]
                yield int(fields["row"][0]), str(fields["label"][0]), int(fields["turn"][0])
            if len(hits) < _PAGE:
                return
            after = {"search_after": hits[-1]["sort"]}
