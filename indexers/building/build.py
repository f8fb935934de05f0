"""What one publish writes: segments, parts, and the manifest over all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexers.building.changes import Changes, PreparedRows, ReusedRows
from indexers.building.merge_policy import SegmentMerge, folds, one_fold
from indexers.parts.document_parts import ENTRY_BYTES, Entry, Header, Part, Place, raw_ids, write_part
from indexers.parts.records import encode_record
from indexers.segments.hnsw import recipe_of
from indexers.segments.segment import NewRows, write_segment
from indexers.versions.files import IndexFiles
from indexers.versions.version import OpenVersion
from vouch.documents.document import DocumentRecord
from vouch.documents.manifest import Counts, FolderEntry, Manifest
from vouch.errors import Usage


class PartChanges:
    """`replaced` are the documents of `base` that the changes replace or take away. Sizes are bytes, about."""

    def __init__(
        self, base: OpenVersion | None, changes: Changes, assigned: ReusedRows, number: int, replaced: set[int]
    ) -> None:
        self.parts: tuple[Part, ...] = base.parts if base else ()
        self._base = base
        self._written = changes.written
        self._emptied = {place for place in changes.gone if base and base.find(place) is not None}
        self._alive = base.table.without(replaced) if base else []
        self._entries = [_entry(record, assigned, n, number) for n, record in enumerate(changes.changed)]

    @property
    def new(self) -> int:
        return sum(entry.weight for entry in self._entries) + ENTRY_BYTES * len(self._emptied)

    @cached_property
    def sizes(self) -> tuple[list[int], list[int]]:
        """Per part, its size and how much of that is still needed."""
        held = [int(part.weights.sum()) + ENTRY_BYTES * len(part.removed) for part in self.parts]
        alive = [
            int(part.weights[mask].sum()) + ENTRY_BYTES * len(self._needed(n))
            for n, (part, mask) in enumerate(zip(self.parts, self._alive, strict=True))
        ]
        return held, alive

    def write(self, parent: Path, members: Sequence[int], before: Sequence[Part]) -> list[FolderEntry]:
        """One part of what is alive in the `members` and, if that is among them, of the change; none of nothing.

        `before` are the older parts that stay: places they hold must be emptied anew.
        """
        old = [n for n in members if n < len(self.parts)]
        entries = [self.parts[n].entry(int(at)) for n in old for at in np.flatnonzero(self._alive[n])]
        emptied: set[Place] = set().union(*(self.parts[n].removed for n in old))
        if len(self.parts) in members:
            entries += self._entries
            emptied |= self._emptied
        emptied = {place for place in emptied if any(place in part.numbers for part in before)}
        emptied = {place for place in emptied if not self._filled(place)}
        entries.sort(key=lambda entry: entry.header.place)
        return [write_part(parent, entries, emptied)] if entries or emptied else []

    def _needed(self, number: int) -> set[Place]:
        """Places that a part empties and an older one holds."""
        return set().union(*(self.parts[number].cancelled(older) for older in self.parts[:number]))

    def _filled(self, place: Place) -> bool:
        """Whether the new version holds a document at `place`."""
        if place in self._written or place in self._emptied:
            return place in self._written
        return self._base is not None and self._base.find(place) is not None


def _entry(record: DocumentRecord, assigned: ReusedRows, document: int, number: int) -> Entry:
    facts, text = encode_record(record)
    header = Header(
        record.source, record.path, record.hash, record.state, record.title, record.narrowed, record.reason,
        len(record.chunks), sum(chunk.injection for chunk in record.chunks), record.owners,
    )
    return Entry(header, facts, text, raw_ids(c.id for c in record.chunks), assigned.serials(document, number))


@dataclass(frozen=True, slots=True)
class Published:
    """A version that is now current. Chunk counts are those of the changed and removed documents.

    `rows_written` counts new index rows and those copied while merging.
    """

    version: int
    chunks_added: int
    chunks_removed: int
    chunks_kept: int
    rows_written: int


@dataclass
class Build:
    """One publish in the making, on top of `base` (None: of nothing); `whole` brings all of it into one folder."""

    files: IndexFiles
    reference_length: float
    number: int
    parent: int | None
    base: OpenVersion | None
    changes: Changes
    material: PreparedRows
    whole: bool = False

    def run(self, created_at: datetime) -> tuple[Manifest, Published]:
        """Writes all files but the manifest. Everything it writes lies under names never used before."""
        segments, written = self._segments()
        manifest = Manifest(
            version=self.number,
            parent=self.parent,
            created_at=created_at,
            segments=tuple(segments),
            parts=tuple(self._parts()),
            cursors={name: dict(cursor) for name, cursor in self.changes.cursors.items()},
            fingerprints=dict(self.changes.fingerprints),
            reference_length=self.reference_length,
            dimensions=self._dimensions(),
            counts=self._counts(),
        )
        kept_chunks = len(self.material.assigned.kept)
        removed = sum(header.chunks for header in self._replaced.values()) - kept_chunks
        return manifest, Published(self.number, len(self.material.assigned.keys), removed, kept_chunks, written)

    @cached_property
    def _replaced(self) -> dict[int, Header]:
        """Number and header of every document of the base that the changes replace or take away."""
        found = [self.base.find(place) for place in self.changes.touched] if self.base else []
        return {n: self.base.header(n) for n in found if n is not None} if self.base else {}

    @property
    def _folds(self) -> Callable[[Sequence[int], Sequence[int], int], list[SegmentMerge]]:
        return one_fold if self.whole else folds

    def _segments(self) -> tuple[list[FolderEntry], int]:
        """(segments of the new version, rows written)."""
        base_segments = self.base.segments if self.base else ()
        used = self._used_rows()
        recipe = recipe_of(self.changes.fingerprints)
        entries, written = [], 0
        sizes = [segment.rows for segment in base_segments], [int(np.count_nonzero(mask)) for mask in used]
        for fold in self._folds(*sizes, len(self.material.assigned.keys)):
            if not fold.rewritten:
                entries.append(base_segments[fold.members[0]].folder.entry)
                continue
            kept_segments = [(base_segments[n], used[n]) for n in fold.members if n < len(base_segments)]
            new = self.material.new_rows(self.number) if len(base_segments) in fold.members else self._no_rows()
            entries.append(write_segment(self.files.segments, kept_segments, new, self.reference_length, recipe))
            written += fold.size
        return entries, written

    def _no_rows(self) -> NewRows:
        return NewRows(np.empty(0, np.int64), [], [], np.empty((0, self._dimensions()), np.float16))

    def _used_rows(self) -> list[NDArray[np.bool_]]:
        """Per segment of the base, which rows the new version still uses."""
        if self.base is None:
            return []
        chunks, row_of_chunk = self.base.chunks, self.base.row_of_chunk
        leaving = np.concatenate([np.empty(0, np.int64), *(
            np.arange(chunks.firsts[n], chunks.firsts[n + 1]) for n in self._replaced
        )])
        stay_away = leaving[~np.isin(chunks.serials[leaving], self.material.assigned.kept)]
        used = self.base.rows.live.copy()
        used[row_of_chunk[stay_away]] = False
        return np.split(used, self.base.rows.offsets[1:-1]) if self.base.segments else []

    def _parts(self) -> list[FolderEntry]:
        """The parts of the new version, those that stay and those written anew."""
        work = PartChanges(self.base, self.changes, self.material.assigned, self.number, set(self._replaced))
        entries: list[FolderEntry] = []
        stay: list[Part] = []
        for fold in self._folds(*work.sizes, work.new):
            if fold.rewritten:
                entries += work.write(self.files.parts, fold.members, stay)
            else:
                stay.append(work.parts[fold.members[0]])
                entries.append(stay[-1].folder.entry)
        return entries

    def _dimensions(self) -> int:
        """Raises Usage if the new rows do not fit those of the base."""
        old, new = self.base.manifest.dimensions if self.base else 0, self.material.vectors.shape[1]
        if old and new and old != new:
            cause = f"rows of {new} dimensions cannot be in one index with rows of {old}"
            raise Usage(cause, cure="build the index again: vouch rebuild")
        return int(new or old)

    def _counts(self) -> Counts:
        old = self.base.manifest.counts if self.base else Counts()
        left, came = self._replaced.values(), self.changes.changed
        return Counts(
            documents=old.documents - len(left) + len(came),
            quarantined=old.quarantined - sum(h.state == "quarantined" for h in left)
            + sum(r.state == "quarantined" for r in came),
            chunks=old.chunks - sum(h.chunks for h in left) + sum(len(r.chunks) for r in came),
        )
