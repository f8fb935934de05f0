"""An open version: its documents, its chunks and the index rows that belong to them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.parts import Header, Part, Place
from indexers.records import StoredDocument
from indexers.rows import RowTable, id_halves
from indexers.segments import Segment
from vouch.documents.document import DocumentRecord
from vouch.documents.manifest import Manifest
from vouch.errors import Damaged


@dataclass(frozen=True)
class ChunkTable:
    """All chunks, document by document in order of place: 16-byte id, document number and row serial."""

    ids: NDArray[np.uint8]
    documents: NDArray[np.int64]
    serials: NDArray[np.int64]
    firsts: NDArray[np.int64]           # of each document's chunks, and the end

    @cached_property
    def _by_id(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        high, low = id_halves(self.ids)
        order = np.lexsort((low, high))
        return order, high[order], low[order]

    def find(self, chunk_id: str) -> int | None:
        """The number of the chunk with this id (32 hex digits), None if there is none."""
        try:
            raw = bytes.fromhex(chunk_id)
        except ValueError:
            return None
        if len(raw) != 16 or raw.hex() != chunk_id:
            return None
        order, high, low = self._by_id
        wanted_high, wanted_low = (np.uint64(int.from_bytes(half, "big")) for half in (raw[:8], raw[8:]))
        start, end = np.searchsorted(high, wanted_high, "left"), np.searchsorted(high, wanted_high, "right")
        at = start + np.searchsorted(low[start:end], wanted_low, "left")
        return int(order[at]) if at < end and low[at] == wanted_low else None

    def hex_id(self, number: int) -> str:
        return bytes(self.ids[number]).hex()


class OpenVersion:
    """One whole version, read only. Reads no text until a document is asked for."""

    def __init__(self, manifest: Manifest, parts: Sequence[Part], segments: Sequence[Segment]) -> None:
        self.manifest = manifest
        self.number = manifest.version
        self.parts = tuple(parts)
        self.segments = tuple(segments)

    def documents(self) -> Iterator[Header]:
        """Every document, indexed and quarantined, in order of source and path."""
        return iter(self.headers)

    def record(self, source: str, path: str) -> DocumentRecord | None:
        """The whole document with its text, None if the version holds none at that place."""
        number = self.places.get((source, path))
        if number is None:
            return None
        part, ordinal = self.origins[number]
        return replace(part.stored(ordinal).record, text=part.text(ordinal))

    def known(self, source: str) -> dict[str, str]:
        """path → content hash of the source's documents, quarantined ones included."""
        return {h.path: h.hash for h in self.headers if h.source == source}

    def cursor(self, source: str) -> Mapping[str, Any]:
        return self.manifest.cursors.get(source, {})

    def check(self, *, documents_only: bool = False) -> None:
        """Raises Damaged unless every file is sound and every chunk has its row."""
        for part in self.parts:
            part.folder.check()
        if not documents_only:
            for segment in self.segments:
                segment.folder.check()
            _ = self.rows

    def open_engines(self) -> None:
        """Raises Damaged unless posting lists and vectors of every segment can be opened."""
        for segment in self.segments:
            _ = segment.postings, segment.vectors

    @cached_property
    def headers(self) -> tuple[Header, ...]:
        return tuple(part.headers[ordinal] for part, ordinal in self.origins)

    @cached_property
    def places(self) -> dict[Place, int]:
        """Source and path → number of the document."""
        return {header.place: number for number, header in enumerate(self.headers)}

    @cached_property
    def origins(self) -> list[tuple[Part, int]]:
        """Where each document lies: its part and its number there. A later part wins."""
        found: dict[Place, tuple[Part, int]] = {}
        for part in self.parts:
            for place in part.removed:
                found.pop(place, None)
            found.update((header.place, (part, n)) for n, header in enumerate(part.headers))
        return [found[place] for place in sorted(found)]

    @cached_property
    def chunks(self) -> ChunkTable:
        counts = [header.chunks for header in self.headers]
        slices = [(part, slice(part.firsts[n], part.firsts[n + 1])) for part, n in self.origins]
        return ChunkTable(
            np.concatenate([np.empty((0, 16), np.uint8), *(part.ids[s] for part, s in slices)]),
            np.repeat(np.arange(len(counts)), counts),
            np.concatenate([np.empty(0, np.int64), *(part.serials[s] for part, s in slices)]),
            np.cumsum([0, *counts], dtype=np.int64),
        )

    @cached_property
    def row_of_chunk(self) -> NDArray[np.int64]:
        """The row of each chunk. Raises Damaged if one has none or two share one."""
        serials = np.concatenate([np.empty(0, np.int64), *(s.serials for s in self.segments)])
        rows = np.searchsorted(serials, self.chunks.serials)
        sound = bool((np.diff(serials) > 0).all()) and (not len(rows) or int(rows.max()) < len(serials))
        if not sound or not np.array_equal(serials[rows], self.chunks.serials) or len(np.unique(rows)) != len(rows):
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
        part, ordinal = self.origins[document]
        return part.stored(ordinal)

    def passage_text(self, chunk: int) -> str:
        """The words of one chunk, exactly as they stand in the document."""
        document = int(self.chunks.documents[chunk])
        part, ordinal = self.origins[document]
        held = part.stored(ordinal).chunks[chunk - int(self.chunks.firsts[document])]
        return part.text(ordinal, held.first_byte, held.end_byte)
