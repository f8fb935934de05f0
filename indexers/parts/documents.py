"""The documents of a version: of what its parts say about a place, the latest counts.

Numbered part by part, so that a version that shares parts with another one
works out anew only what its own parts changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Header, Part, Place


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
