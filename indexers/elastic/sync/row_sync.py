"""Brings rows and labels that Elasticsearch lacks, beside a process that waits little for it."""

import atexit
import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.elastic.server.server import ElasticServer
from indexers.elastic.sync.row_journal import COMING, UNSURE, JournalEntry, RowJournal
from indexers.search.labels import DEAD, LabelTable
from indexers.segments.segment import Segment
from indexers.versions.version import OpenVersion
from vouch.documents.chunk import indexed_input
from vouch.ports.models import Analyser

LINGER_S = 10.0


def beside(name: str, work: Callable[[Callable[[], bool]], None]) -> threading.Thread:
    """A thread that does `work`, which asks what it is given whether to go on.

    The end of the process waits `LINGER_S` for it and then cuts it off, in the middle of a request if need be: what it
    leaves behind must be fit for that.
    """
    leaving = threading.Event()

    def linger() -> None:
        with suppress(KeyboardInterrupt):
            thread.join(LINGER_S)
        leaving.set()

    def run() -> None:
        try:
            work(lambda: not leaving.is_set())
        finally:
            atexit.unregister(linger)

    thread = threading.Thread(target=run, name=name, daemon=True)
    atexit.register(linger)
    thread.start()
    return thread


_STEP = 20_000                          # rows labeled between two notes: so many are unsure at once


@dataclass(frozen=True)
class IndexedSegment:
    """A segment in an index, with its rows in the numbering of the version; with `dense` they have vectors there."""

    index: str
    held: Segment
    span: slice
    dense: bool = False

    @property
    def segment(self) -> str:
        return self.held.folder.entry.id

    @property
    def note(self) -> str:
        return note_name(self.segment, self.index)

    @property
    def gone(self) -> bool:
        """Whether it was swept, or purged under its readers: then it must not come back."""
        return not self.held.folder.path.is_dir()

    @property
    def rows(self) -> int:
        return int(self.span.stop - self.span.start)


def places_of(version: OpenVersion, index: str, *, dense: bool = False) -> list[IndexedSegment]:
    spans = [slice(start, end) for start, end in pairwise(version.rows.offsets)]
    return [IndexedSegment(index, segment, span, dense) for segment, span in zip(version.segments, spans, strict=True)]


def note_name(segment: str, index: str) -> str:
    """The name of the note of what `index` holds of `segment`.

    Of no other index: labels that followed the rules in this one may be old in another, and counts need not tell.
    """
    return f"{segment}.{hashlib.sha256(index.encode()).hexdigest()[:12]}"


class RowSync:
    def __init__(self, server: ElasticServer, notes: RowJournal, analyser: Analyser) -> None:
        self._server = server
        self._notes = notes
        self._analyser = analyser

    def write_all(self, version: OpenVersion, place: IndexedSegment, labels: LabelTable) -> None:
        """Every live row of the segment is there. May be killed and repeated."""
        self._write(version, place, labels, place.rows)

    def follow(
        self, version: OpenVersion, place: IndexedSegment, labels: LabelTable, go_on: Callable[[], bool]
    ) -> None:
        """So it is, and has its label; or `go_on` said no, which it is asked between steps.

        Rows that are not there though they were noted stay unsure, and counting tells.
        """
        while go_on() and (self._write(version, place, labels, _STEP) or self._label(version, place, labels)):
            pass

    def followed(self, version: OpenVersion, place: IndexedSegment, labels: LabelTable) -> bool:
        """Whether there is nothing left to be done."""
        note, target = self._targets(version, place, labels)
        return place.gone or bool(((target == DEAD) | (note.of_row == target)).all())

    def _write(self, version: OpenVersion, place: IndexedSegment, labels: LabelTable, most: int) -> bool:
        """Writes up to `most` rows that are absent; whether there were any."""
        with self._notes.sole(place.note):
            note, target = self._targets(version, place, labels)
            rows = np.flatnonzero((target != DEAD) & (note.of_row <= COMING))[:most]
            if not len(rows) or place.gone:
                return False
            note = note.at_next_turn()
            self._notes.write(place.note, note.with_rows(rows, COMING))
            sent = self._rows(version, place, rows, [note.labels[n] for n in target[rows]], note.turn)
            before = [int(name.partition(":")[2]) for name in self._server.write(place.index, sent)]
            self._server.refresh(place.index)
            now = np.where(np.isin(rows, before), UNSURE, target[rows]).astype(np.int32)
            self._notes.write(place.note, note.with_rows(rows, now))
        return True

    def _label(self, version: OpenVersion, place: IndexedSegment, labels: LabelTable) -> bool:
        """Labels up to _STEP rows anew; whether there were any, and all of them there."""
        with self._notes.sole(place.note):
            note, target = self._targets(version, place, labels)
            rows = np.flatnonzero((target != DEAD) & (note.of_row > COMING) & (note.of_row != target))[:_STEP]
            if not len(rows) or place.gone:
                return False
            note = note.at_next_turn()
            self._notes.write(place.note, note.with_rows(rows, UNSURE))
            wanted = {int(row): note.labels[n] for row, n in zip(rows, target[rows], strict=True)}
            if self._server.label(place.index, place.segment, wanted, note.turn) != len(rows):
                return False
            self._notes.write(place.note, note.with_rows(rows, target[rows]))
        return True

    def _targets(
        self, version: OpenVersion, place: IndexedSegment, labels: LabelTable
    ) -> tuple[JournalEntry, NDArray[np.int32]]:
        """The note, and per row the number that it gives to the label the row should have, DEAD for dead rows."""
        note, numbers = self._notes.read(place.note, place.rows).numbered(labels.ids)
        return note, np.append(numbers, [DEAD]).astype(np.int32)[labels.of_rows(version)[place.span]]

    def _rows(
        self, version: OpenVersion, place: IndexedSegment, rows: NDArray[np.int64], labels: list[str], turn: int
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Rows as they are sent, in the order of their chunks, so that each document is read once."""
        home = self._notes.home_id
        chunk_of_row = np.full(len(version.rows.live), -1, np.int64)
        chunk_of_row[version.row_of_chunk] = np.arange(len(version.row_of_chunk))
        chunks = chunk_of_row[place.span][rows]
        vectors = place.held.vectors if place.dense else None
        for n in np.argsort(chunks):
            row = int(rows[n])
            terms = row_terms(version, int(chunks[n]), self._analyser)
            # Sorted, for the server keeps what it is sent: which words there are and not what they say.
            yield f"{place.segment}:{row}", {
                "home": home, "segment": place.segment, "row": row, "label": labels[n], "turn": turn,
                "terms": " ".join(sorted(terms)),
            } | ({"vector": [float(f"{x:.5g}") for x in vectors.row(row).tolist()]} if vectors else {})


def row_terms(version: OpenVersion, chunk: int, analyser: Analyser) -> list[str]:
    """The terms of a chunk's row: what publishing analysed, analysed again."""
    document = int(version.chunks.documents[chunk])
    held = version.stored(document).record.chunks[chunk - int(version.chunks.firsts[document])]
    text, header = version.passage_text(chunk), version.passage_header(chunk)
    return analyser.terms(indexed_input(held.section, text, header, injection=held.injection))
