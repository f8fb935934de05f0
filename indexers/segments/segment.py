"""A segment: an immutable folder with the index rows of some chunks.

Each row has a serial, given once and never again, that outlives the merging
of segments: document tables point to rows by serial. Serials ascend within a
segment and from one segment of a version to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexers.segments.hnsw import FILE as GRAPH
from indexers.segments.hnsw import GraphParameters, SegmentGraph, write_graph
from indexers.segments.postings import Postings, make_postings, merge_postings, read_postings, write_postings
from indexers.segments.term_scores import TermScores
from indexers.segments.vectors import SegmentVectors, write_vectors
from indexers.storage.arrays import map_array, write_array
from indexers.storage.checksums import Folder
from indexers.storage.durable import write_folder
from indexers.storage.keys import KEY_BYTES
from vouch.documents.manifest import FolderEntry

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
