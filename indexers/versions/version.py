"""An open version: its documents, its chunks, their rows, and what it has that another has not."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Header, Part, Place
from indexers.parts.records import StoredChunk, StoredDocument
from indexers.parts.tables import ChunkTable, DocumentTable, chunk_table
from indexers.segments.segment import RowTable, Segment
from indexers.versions.version_locks import VersionLock
from vouch.access import Limits
from vouch.documents.document import DocumentRecord
from vouch.documents.manifest import Manifest
from vouch.errors import Damaged

GENERATION = "generation"               # in a cursor, beside what the source itself keeps there


class OpenVersion:
    """One whole version, read only. Reads no text until a document is asked for.

    Its files stay where they are as long as anybody refers to it. `limits` is
    None unless it stands in for a damaged version: then it limits who may read
    what stands at which place.
    """

    def __init__(
        self, manifest: Manifest, parts: Sequence[Part], segments: Sequence[Segment], pin: VersionLock,
        limits: Mapping[Place, Limits] | None = None,
    ) -> None:
        self.limits = limits
        self.manifest = manifest
        self.number = manifest.version
        self.parts = tuple(parts)
        self.segments = tuple(segments)
        self._pin = pin

    def documents(self) -> Iterator[Header]:
        """Every document, indexed and quarantined, in order of source and path."""
        return iter(sorted(self.headers, key=lambda header: header.place))

    def record(self, source: str, path: str) -> DocumentRecord | None:
        """The whole document with its text, None if the version holds none at that place."""
        number = self.find((source, path))
        if number is None:
            return None
        part, ordinal = self.table.origin(number)
        return replace(part.stored(ordinal).record, text=part.text(ordinal))

    def known(self, source: str) -> dict[str, str]:
        """path → content hash of the source's documents, quarantined ones included."""
        return {h.path: h.hash for h in self.headers if h.source == source}

    def cursor(self, source: str) -> Mapping[str, Any]:
        return self.manifest.cursors.get(source, {})

    def generation(self, source: str) -> str:
        """Which of the sources that had this name the documents are of."""
        return str(self.cursor(source).get(GENERATION, ""))

    def foreign(self, generations: Mapping[str, str]) -> frozenset[str]:
        """The sources under whose name this version holds what is not theirs.

        `generations` says which of the sources of a name is the one there now.
        """
        held = {*self.manifest.cursors, *(header.source for header in self.headers)}
        return frozenset(name for name in held if self.generation(name) != generations.get(name, ""))

    def check(self, *, documents_only: bool = False) -> None:
        """Raises Damaged unless every file is sound and every chunk has its row."""
        for part in self.parts:
            part.folder.check()
        if not documents_only:
            for segment in self.segments:
                segment.folder.check()
            _ = self.rows

    @property
    def compact(self) -> bool:
        """Whether all of it lies in one segment and one part, and nothing in them is dead."""
        few = len(self.parts) <= 1 and len(self.segments) <= 1
        return few and bool(self.rows.live.all()) and not any(part.removed for part in self.parts)

    @property
    def on_disk(self) -> bool:
        """Whether its folders are still there; only a purge deletes those of a version that is open."""
        folders = [*(part.folder for part in self.parts), *(segment.folder for segment in self.segments)]
        return all(folder.path.is_dir() for folder in folders)

    def open_engines(self) -> None:
        """Raises Damaged unless posting lists and vectors of every segment can be opened."""
        for segment in self.segments:
            _ = segment.postings, segment.vectors, segment.graph

    @cached_property
    def table(self) -> DocumentTable:
        return DocumentTable(self.parts)

    @property
    def headers(self) -> tuple[Header, ...]:
        """Every document by its number."""
        return self.table.headers

    def find(self, place: Place) -> int | None:
        """The number of the document at `place`, None if there is none."""
        return self.table.find(place)

    def header(self, document: int) -> Header:
        part, ordinal = self.table.origin(document)
        return part.headers[ordinal]

    @cached_property
    def chunks(self) -> ChunkTable:
        return chunk_table(self.table)

    @cached_property
    def row_of_chunk(self) -> NDArray[np.int64]:
        """The row of each chunk. Raises Damaged if one has none or two share one."""
        serials = np.concatenate([np.empty(0, np.int64), *(s.serials for s in self.segments)])
        rows = np.searchsorted(serials, self.chunks.serials)
        sound = bool((np.diff(serials) > 0).all()) and (not len(rows) or int(rows.max()) < len(serials))
        if not sound or not np.array_equal(serials[rows], self.chunks.serials) or _any_twice(rows, len(serials)):
            raise Damaged(f"version {self.number}: its chunks and its index rows do not fit together")
        return rows

    @cached_property
    def rows(self) -> RowTable:
        offsets = np.cumsum([0, *(s.rows for s in self.segments)])
        ids = np.zeros((int(offsets[-1]), 16), np.uint8)
        live = np.zeros(int(offsets[-1]), np.bool_)
        ids[self.row_of_chunk] = self.chunks.ids
        live[self.row_of_chunk] = True
        return RowTable(self.number, tuple(offsets.tolist()), live, ids)

    def stored(self, document: int) -> StoredDocument:
        part, ordinal = self.table.origin(document)
        return part.stored(ordinal)

    def passage_text(self, chunk: int) -> str:
        """The words of one chunk, exactly as they stand in the document."""
        part, ordinal, held = self._chunk(chunk)
        return part.text(ordinal, held.first_byte, held.end_byte)

    def passage_header(self, chunk: int) -> str:
        """The header of the table that the chunk begins in the middle of, empty if it does not."""
        part, ordinal, held = self._chunk(chunk)
        return part.text(ordinal, *held.header_bytes) if held.header_bytes else ""

    def _chunk(self, chunk: int) -> tuple[Part, int, StoredChunk]:
        document = int(self.chunks.documents[chunk])
        part, ordinal = self.table.origin(document)
        return part, ordinal, part.stored(ordinal).chunks[chunk - int(self.chunks.firsts[document])]


def _any_twice(rows: NDArray[np.int64], count: int) -> bool:
    taken = np.zeros(count, np.bool_)
    taken[rows] = True
    return int(np.count_nonzero(taken)) != len(rows)


@dataclass(frozen=True)
class VersionDiff:
    """Documents as (source, path), renames as (source, old path, new path); chunks by their index rows."""

    added: tuple[Place, ...]
    changed: tuple[Place, ...]
    renamed: tuple[tuple[str, str, str], ...]
    removed: tuple[Place, ...]
    chunks_added: int
    chunks_removed: int
    chunks_kept: int


def difference(older: OpenVersion, newer: OpenVersion) -> VersionDiff:
    before = {h.place: h for h in older.headers}
    after = {h.place: h for h in newer.headers}
    gone = [before[place] for place in sorted(before.keys() - after.keys())]
    new = [after[place] for place in sorted(after.keys() - before.keys())]
    renamed = _renames(gone, new)
    moved_from = {(source, old) for source, old, _ in renamed}
    moved_to = {(source, path) for source, _, path in renamed}
    kept_chunks = len(np.intersect1d(older.chunks.serials, newer.chunks.serials))
    return VersionDiff(
        added=tuple(h.place for h in new if h.place not in moved_to),
        changed=tuple(p for p in sorted(before.keys() & after.keys()) if before[p] != after[p]),
        renamed=renamed,
        removed=tuple(h.place for h in gone if h.place not in moved_from),
        chunks_added=len(newer.chunks.serials) - kept_chunks,
        chunks_removed=len(older.chunks.serials) - kept_chunks,
        chunks_kept=kept_chunks,
    )


def _renames(gone: list[Header], new: list[Header]) -> tuple[tuple[str, str, str], ...]:
    """Documents of equal content, one by one in order of path."""
    old_paths: dict[tuple[str, str], list[str]] = defaultdict(list)
    for header in reversed(gone):
        old_paths[header.source, header.hash].append(header.path)
    return tuple(
        (h.source, old_paths[h.source, h.hash].pop(), h.path) for h in new if old_paths.get((h.source, h.hash))
    )
