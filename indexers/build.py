"""What one publish writes: a segment with its new rows, a part with its documents, and the manifest over all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.assign import Assigned, assign_rows
from indexers.files import IndexFiles
from indexers.merging import first_to_merge
from indexers.parts import Entry, Header, Place, write_part
from indexers.records import encode_record
from indexers.segments import NewRows, write_segment
from indexers.version import OpenVersion
from vouch.documents.document import DocumentRecord
from vouch.documents.manifest import Counts, FolderEntry, Manifest
from vouch.errors import BadInput, Usage
from vouch.ports import Analyser

_EMPTY_PART = 100                       # bytes, about; parts that only remove must merge as well
Vectors = Callable[[Sequence[bytes]], NDArray[np.float16]]


@dataclass(frozen=True)
class Changes:
    """What a publish is asked to do on top of its base."""

    changed: Sequence[DocumentRecord]
    moved: Mapping[Place, str]
    removed: Sequence[Place]
    cursors: Mapping[str, Mapping[str, Any]]
    fingerprints: Mapping[str, str]
    vectors: Vectors

    @cached_property
    def written(self) -> set[Place]:
        return {(record.source, record.path) for record in self.changed}

    @cached_property
    def gone(self) -> set[Place]:
        """Places that hold no document afterwards."""
        left = {(source, old) for (source, _), old in self.moved.items()}
        return (left | set(self.removed)) - self.written


@dataclass(frozen=True, slots=True)
class Published:
    """A version that is now current. Chunk counts are those of the changed and removed documents."""

    version: int
    chunks_added: int
    chunks_removed: int
    chunks_kept: int
    rows_written: int


@dataclass
class Build:
    """One publish in the making, on top of `base` (None: of nothing)."""

    files: IndexFiles
    analyser: Analyser
    reference_length: float
    number: int
    parent: int | None
    base: OpenVersion | None
    changes: Changes

    def run(self, created_at: datetime) -> tuple[Manifest, Published]:
        """Writes all files but the manifest. Everything it writes lies under names never used before."""
        check_changes(self.base, self.changes)
        assigned = assign_rows(self.number, self.base, self.changes.changed, self.changes.moved)
        segments, written, dimensions = self._segments(assigned)
        parts = self._parts(assigned)
        manifest = Manifest(
            version=self.number,
            parent=self.parent,
            created_at=created_at,
            segments=tuple(segments),
            parts=tuple(parts),
            cursors={name: dict(cursor) for name, cursor in self.changes.cursors.items()},
            fingerprints=dict(self.changes.fingerprints),
            reference_length=self.reference_length,
            dimensions=dimensions,
            counts=self._counts(),
        )
        removed = sum(h.chunks for h in self._replaced.values()) - assigned.kept
        return manifest, Published(self.number, len(assigned.keys), removed, assigned.kept, written)

    @cached_property
    def _replaced(self) -> dict[int, Header]:
        """Number and header of every document of the base that the changes replace or take away."""
        places = self.changes.written | self.changes.gone
        base = self.base
        return {base.places[p]: base.headers[base.places[p]] for p in places if p in base.places} if base else {}

    def _segments(self, assigned: Assigned) -> tuple[list[FolderEntry], int, int]:
        """(segments of the new version, rows written, dimensions)."""
        held = list(zip(self.base.segments, self._used_rows(assigned), strict=True)) if self.base else []
        dimensions = self.base.manifest.dimensions if self.base else 0
        sizes = [int(np.count_nonzero(used)) for _, used in held]
        first = first_to_merge(sizes, len(assigned.keys)) if assigned.keys else len(held)
        entries = [segment.folder.entry for (segment, _), size in zip(held[:first], sizes, strict=False) if size]
        if not assigned.keys:
            return entries, 0, dimensions
        vectors = _checked(self.changes.vectors(assigned.keys), len(assigned.keys), dimensions)
        terms = [self.analyser.terms(text) for text in assigned.inputs]
        new = NewRows(assigned.new_serials(), assigned.keys, terms, vectors)
        merged = [(segment, used) for segment, used in held[first:] if used.any()]
        entry = write_segment(self.files.segments, merged, new, self.reference_length)
        return [*entries, entry], entry.rows, vectors.shape[1]

    def _used_rows(self, assigned: Assigned) -> list[NDArray[np.bool_]]:
        """Per segment of the base, which rows the new version still uses."""
        assert self.base is not None
        chunks = self.base.chunks
        stays = ~np.isin(chunks.documents, list(self._replaced))
        kept = np.array([s for serials in assigned.serials for s in serials], np.int64)
        stays |= np.isin(chunks.serials, kept)
        used = np.zeros(len(self.base.rows.live), np.bool_)
        used[self.base.row_of_chunk[stays]] = True
        return np.split(used, self.base.rows.offsets[1:-1]) if self.base.segments else []

    def _parts(self, assigned: Assigned) -> list[FolderEntry]:
        """The parts of the new version: the base's, the newest merged with what changed."""
        base = list(self.base.parts) if self.base else []
        entries = {entry.header.place: entry for entry in self._entries(assigned)}
        gone = {place for place in self.changes.gone if self.base and place in self.base.places}
        if not entries and not gone:
            return [part.folder.entry for part in base]
        size = sum(len(entry.facts) + len(entry.text) for entry in entries.values()) + _EMPTY_PART
        first = first_to_merge([part.folder.entry.size for part in base], size)
        older = {header.place for part in base[:first] for header in part.headers}
        for part in reversed(base[first:]):
            for n, header in enumerate(part.headers):
                if header.place not in entries and header.place not in gone:
                    entries[header.place] = part.entry(n)
            gone |= set(part.removed) - set(entries)
        ordered = [entries[place] for place in sorted(entries)]
        entry = write_part(self.files.parts, ordered, gone & older)
        return [*(part.folder.entry for part in base[:first]), entry]

    def _entries(self, assigned: Assigned) -> list[Entry]:
        return [_entry(r, serials) for r, serials in zip(self.changes.changed, assigned.serials, strict=True)]

    def _counts(self) -> Counts:
        kept = [h for n, h in enumerate(self.base.headers) if n not in self._replaced] if self.base else []
        documents = len(kept) + len(self.changes.changed)
        broken = sum(h.state == "quarantined" for h in kept)
        broken += sum(r.state == "quarantined" for r in self.changes.changed)
        chunks = sum(h.chunks for h in kept) + sum(len(r.chunks) for r in self.changes.changed)
        return Counts(documents=documents, quarantined=broken, chunks=chunks)


def check_changes(base: OpenVersion | None, changes: Changes) -> None:
    """Raises BadInput if a place comes twice or two chunks of the new version would share an id."""
    if len(changes.written) != len(changes.changed):
        raise BadInput("a document comes twice in one publish")
    ids = [chunk.id for record in changes.changed for chunk in record.chunks]
    twice = len(set(ids)) != len(ids)
    for chunk_id in ids if base else ():
        number = base.chunks.find(chunk_id) if base else None
        if base is not None and number is not None:
            place = base.headers[int(base.chunks.documents[number])].place
            twice = twice or place not in changes.written | changes.gone
    if twice:
        raise BadInput("two chunks of one version share an id", cure="chunk ids are made by vouch.documents.chunk")


def _entry(record: DocumentRecord, serials: list[int]) -> Entry:
    facts, text = encode_record(record)
    header = Header(
        record.source, record.path, record.hash, record.state, record.title, record.narrowed, record.reason,
        len(record.chunks),
    )
    ids = np.frombuffer(bytes.fromhex("".join(c.id for c in record.chunks)), np.uint8).reshape(-1, 16)
    return Entry(header, facts, text, ids, np.array(serials, np.int64))


def _checked(vectors: NDArray[np.float16], count: int, dimensions: int) -> NDArray[np.float16]:
    wrong = vectors.dtype != np.float16 or vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]
    if wrong or (dimensions and vectors.shape[1] != dimensions) or not np.isfinite(vectors).all():
        raise Usage(
            f"{count} new rows of {dimensions or 'any'} dimensions got vectors {vectors.shape} {vectors.dtype}",
            cure="the encoder differs from the one that made the index: build it anew",
        )
    return vectors
