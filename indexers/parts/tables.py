"""The documents and the chunks of a version: which there are, and which index row each chunk has.

Numbered part by part, so that a version that shares parts with another one
works out anew only what its own parts changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Header, Part, Place
from indexers.segments.segment import by_id


class DocumentTable:
    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return int(self.offsets[-1])

    @cached_property
    def held(self) -> list[NDArray[np.bool_]]:
        """Per part, which of its documents the version holds: those that no later part supersedes."""
        held = []
        for n, part in enumerate(self.parts):
            mask = np.ones(len(part.headers), np.bool_)
            for later in self.parts[n + 1 :]:
                mask[later.superseded(part)] = False
            held.append(mask)
        return held

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """The number of each part's first document, and how many there are in all."""
        return np.cumsum([0, *(int(np.count_nonzero(mask)) for mask in self.held)], dtype=np.int64)

    @cached_property
    def headers(self) -> tuple[Header, ...]:
        return tuple(self._each_header())

    def find(self, place: Place) -> int | None:
        """The number of the document at `place`, None if there is none."""
        for part, mask, offset in zip(self.parts, self.held, self.offsets, strict=False):
            ordinal = part.numbers.get(place)
            if ordinal is not None and mask[ordinal]:
                return int(offset) + int(np.count_nonzero(mask[:ordinal]))
        return None

    def origin(self, number: int) -> tuple[Part, int]:
        """Where a document lies: its part and its number there."""
        n = int(np.searchsorted(self.offsets, number, "right")) - 1
        return self.parts[n], int(self._ordinals[n][number - int(self.offsets[n])])

    def without(self, numbers: Iterable[int]) -> list[NDArray[np.bool_]]:
        """`held`, but for these documents."""
        kept = np.concatenate([np.empty(0, np.bool_), *self.held])
        kept[np.flatnonzero(kept)[list(numbers)]] = False
        return np.split(kept, np.cumsum([len(mask) for mask in self.held])[:-1]) if self.held else []

    @cached_property
    def _ordinals(self) -> list[NDArray[np.int64]]:
        return [np.flatnonzero(mask) for mask in self.held]

    def _each_header(self) -> Iterator[Header]:
        for part, mask in zip(self.parts, self.held, strict=True):
            yield from compress(part.headers, mask.tolist())


@dataclass(frozen=True)
class ChunkTable:
    """All chunks, document by document: 16-byte id, document number and row serial."""

    ids: NDArray[np.uint8]
    documents: NDArray[np.int64]
    serials: NDArray[np.int64]
    firsts: NDArray[np.int64]           # of each document's chunks, and the end
    parts: tuple[tuple[Part, NDArray[np.bool_]], ...]       # with the chunks of each that count here

    def find(self, chunk_id: str) -> int | None:
        """The number of the chunk with this id (32 hex digits), None if there is none."""
        try:
            raw = bytes.fromhex(chunk_id)
        except ValueError:
            return None
        if len(raw) != 16 or raw.hex() != chunk_id:
            return None
        order, highs, lows = self._by_id
        high, low = (np.uint64(int.from_bytes(half, "big")) for half in (raw[:8], raw[8:]))
        start, end = np.searchsorted(highs, high, "left"), np.searchsorted(highs, high, "right")
        at = start + np.searchsorted(lows[start:end], low, "left")
        return int(order[at]) if at < end and lows[at] == low else None

    def starting(self, digits: str) -> list[int]:
        """Numbers of the chunks whose id begins with these hex digits, by id."""
        order, highs, _ = self._by_id
        first, last = (np.uint64(int(digits[:16].ljust(16, fill), 16)) for fill in "0f")
        found = order[np.searchsorted(highs, first, "left") : np.searchsorted(highs, last, "right")]
        return [int(number) for number in found if self.hex_id(int(number)).startswith(digits)]

    @cached_property
    def _by_id(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        return by_id(self.ids)

    def find_all(self, ids: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Numbers of the chunks that have one of these ids, shape (n, 16).

        Through what the parts know already: a publish asks every version once,
        a reader asks one version often.
        """
        numbers = [np.empty(0, np.int64)]
        offset = 0
        for part, mask in self.parts:
            at = part.find_chunks(ids)
            at = at[at >= 0]
            at = at[mask[at]]
            if len(at):
                numbers.append(offset + np.cumsum(mask)[at] - 1)
            offset += int(np.count_nonzero(mask))
        return np.concatenate(numbers)

    def hex_id(self, number: int) -> str:
        return bytes(self.ids[number]).hex()


def chunk_table(documents: DocumentTable) -> ChunkTable:
    """The chunks of the documents a version holds, in their order."""
    counts = [np.diff(part.firsts) for part in documents.parts]
    masks = [np.repeat(held, count) for held, count in zip(documents.held, counts, strict=True)]
    pairs = tuple(zip(documents.parts, masks, strict=True))
    held = np.concatenate([np.empty(0, np.int64), *(c[h] for c, h in zip(counts, documents.held, strict=True))])
    return ChunkTable(
        np.concatenate([np.empty((0, 16), np.uint8), *(part.ids[mask] for part, mask in pairs)]),
        np.repeat(np.arange(len(held)), held),
        np.concatenate([np.empty(0, np.int64), *(part.serials[mask] for part, mask in pairs)]),
        np.concatenate(([0], np.cumsum(held))),
        pairs,
    )
