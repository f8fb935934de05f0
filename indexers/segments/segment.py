"""A segment: an immutable folder of index rows, their keys, and the one numbering of a version's rows.

Each row has a serial, given once and never again, that outlives the merging
of segments: document tables point to rows by serial. Serials ascend within a
segment and from one segment of a version to the next.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from indexers.segments.hnsw import FILE as GRAPH
from indexers.segments.hnsw import GraphParameters, SegmentGraph, write_graph
from indexers.segments.postings import (
    Postings,
    TermScores,
    make_postings,
    merge_postings,
    read_postings,
    write_postings,
)
from indexers.segments.vectors import SegmentVectors, write_vectors
from indexers.storage import Folder, map_array, write_array, write_folder
from vouch.documents.manifest import FolderEntry
from vouch.errors import Denied
from vouch.values.candidate import Hit

_GROUP = 64                             # scores of which only the largest is looked at first


class Rows(Protocol):
    """A set of rows of one version. Made by indexers.search.visibility only; no value of it means "no filter"."""

    @property
    def table(self) -> "RowTable":
        """Whose rows they are."""
        ...

    @property
    def mask(self) -> NDArray[np.bool_]: ...

    @property
    def count(self) -> int: ...

    @property
    def kept(self) -> dict[str, Any]:
        """What engines made of these rows for their next searches, by engine."""
        ...


@dataclass(frozen=True, eq=False)
class RowTable:
    """Segment s holds the rows from `offsets[s]` to `offsets[s+1]`; a row without a live chunk is dead.

    `ids` are the 16-byte chunk ids of the rows, zero where dead.
    """

    version: int
    offsets: tuple[int, ...]
    live: NDArray[np.bool_]
    ids: NDArray[np.uint8]

    def inside(self, rows: Rows) -> NDArray[np.bool_]:
        """The mask of `rows`. Raises Denied unless they were made for this very version."""
        if rows.table is not self:                          # a number is no proof: a purge changes what it holds
            raise Denied(f"rows made for version {rows.table.version} cannot be searched in version {self.version}")
        return rows.mask

    def best(self, rows: NDArray[np.integer[Any]], scores: NDArray[np.floating[Any]], top: int) -> list[Hit]:
        """The `top` best as hits, by score, exact ties by chunk id, never by row number."""
        if len(rows) > top > 0:
            least = np.partition(scores, len(scores) - top)[len(scores) - top]
            kept = scores >= least
            rows, scores = rows[kept], scores[kept]
        found = self.ids[rows]
        high, low = id_halves(found)
        order = np.lexsort((low, high, -scores))[: max(top, 0)]
        ids = found[order].tobytes().hex(" ", 16).split(" ")
        return list(map(Hit, ids, scores[order].tolist()))

    def best_positive(self, scores: NDArray[np.float64], top: int) -> list[Hit]:
        """Like `best`, of a score for every row of the version; those of 0 are no hits."""
        least = _bound(scores, top)
        hits = np.flatnonzero(scores >= least if least > 0 else scores > 0)
        return self.best(hits, scores[hits], top)


def _bound(scores: NDArray[np.float64], top: int) -> float:
    """A number that at least `top` scores reach, close below the best of them; 0 if that is not so easily found.

    The scores are dealt into groups: as many scores as groups reach the `top`-th best of their maxima.
    """
    groups = len(scores) // _GROUP
    if not 0 < top <= groups:
        return 0.0
    best = np.maximum.reduce(scores[: groups * _GROUP].reshape(_GROUP, groups), axis=0)
    return float(np.partition(best, groups - top)[groups - top])


def id_halves(ids: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """16-byte ids as two numbers that sort as the bytes (and their hex digits) do."""
    numbers = np.ascontiguousarray(ids).view(">u8").astype(np.uint64).reshape(-1, 2)
    return np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])


def by_id(ids: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
    """The order of 16-byte ids, and their two halves in it."""
    high, low = id_halves(ids)
    order = np.lexsort((low, high))
    return order, high[order], low[order]


KEY_BYTES = 16


def input_key(text: str) -> bytes:
    """16 bytes; equal for equal model inputs, whatever document they stand in."""
    return hashlib.sha256(text.encode()).digest()[:KEY_BYTES]


SERIALS_PER_VERSION = 1 << 32


class Segment:
    """Opened piece by piece: what a job does not touch is neither read nor compared with its checksum."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.rows = folder.entry.rows

    @cached_property
    def serials(self) -> NDArray[np.int64]:
        return map_array(self.folder.file("serials.i8"))

    @cached_property
    def keys(self) -> NDArray[np.uint8]:
        """Shape (rows, 16): the key of each row's model input."""
        return map_array(self.folder.file("keys.u1")).reshape(-1, KEY_BYTES)

    @cached_property
    def postings(self) -> Postings:
        return read_postings(self.folder)

    @cached_property
    def terms(self) -> TermScores:
        return TermScores(self.postings, self.rows)

    @cached_property
    def vectors(self) -> SegmentVectors:
        return SegmentVectors(self.folder)

    @cached_property
    def graph(self) -> SegmentGraph | None:
        return SegmentGraph(self.folder, self.vectors) if self.folder.lists(GRAPH) else None


@dataclass(frozen=True)
class NewRows:
    """Rows that no segment holds yet: serials, 16-byte keys, terms and vectors, in one order."""

    serials: NDArray[np.int64]
    keys: Sequence[bytes]
    terms: Sequence[Sequence[str]]
    vectors: NDArray[np.float16]


def write_segment(
    parent: Path, kept: Sequence[tuple[Segment, NDArray[np.bool_]]], new: NewRows, reference_length: float,
    recipe: GraphParameters | None = None,
) -> FolderEntry:
    """One new segment: the kept rows of older segments as they are, then the new rows; with a `recipe`, a graph."""
    vectors = np.concatenate([*(s.vectors.all()[mask] for s, mask in kept), new.vectors])
    serials = np.concatenate([*(s.serials[mask] for s, mask in kept), new.serials])
    fresh = np.frombuffer(b"".join(new.keys), np.uint8).reshape(-1, KEY_BYTES)
    keys = np.concatenate([*(s.keys[mask] for s, mask in kept), fresh])
    postings = _postings(kept, new, reference_length)

    def fill(folder: Path) -> None:
        write_array(folder / "serials.i8", serials)
        write_array(folder / "keys.u1", keys)
        write_postings(folder, postings)
        write_vectors(folder, vectors)
        if recipe is not None:
            write_graph(folder, vectors, recipe)

    return write_folder(parent, len(serials), fill)


def _postings(
    kept: Sequence[tuple[Segment, NDArray[np.bool_]]], new: NewRows, reference_length: float
) -> Postings:
    sources: list[tuple[Postings, NDArray[np.int32]]] = []
    count = 0
    for segment, mask in kept:
        sources.append((segment.postings, np.where(mask, np.cumsum(mask) - 1 + count, -1).astype(np.int32)))
        count += int(np.count_nonzero(mask))
    fresh = make_postings(new.terms, reference_length)
    if not sources:
        return fresh
    return merge_postings([*sources, (fresh, np.arange(count, count + len(new.terms), dtype=np.int32))])
