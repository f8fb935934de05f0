"""What a publish does to the parts: new entries, places emptied, and older parts written anew without their dead."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from indexers.building.changes import Changes
from indexers.building.row_reuse import ReusedRows
from indexers.parts.document_parts import ENTRY_BYTES, Entry, Header, Part, Place, raw_ids, write_part
from indexers.parts.records import encode_record
from indexers.versions.version import OpenVersion
from vouch.documents.document import DocumentRecord
from vouch.documents.manifest import FolderEntry


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
