"""What a publish is asked to do, and the rows it makes for that: once, whatever version they end up on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.building.row_reuse import ReusedRows, assign_rows
from indexers.parts.document_parts import Place, raw_ids
from indexers.segments.segment import NewRows
from indexers.versions.version import OpenVersion
from vouch.documents.document import DocumentRecord
from vouch.errors import BadInput, Usage
from vouch.ports.analyser import Analyser

Vectors = Callable[[Sequence[bytes]], NDArray[np.float16]]
Cursors = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Changes:
    """Documents changed, moved and removed; `cursors` are all those of the new version."""

    changed: Sequence[DocumentRecord]
    moved: Mapping[Place, str]
    removed: Sequence[Place]
    cursors: Cursors
    fingerprints: Mapping[str, str]

    @cached_property
    def written(self) -> set[Place]:
        return {(record.source, record.path) for record in self.changed}

    @cached_property
    def gone(self) -> set[Place]:
        """Places that hold no document afterwards."""
        return (self._left | set(self.removed)) - self.written

    @cached_property
    def taken_away(self) -> set[Place]:
        """Places whose documents are needed for nothing: neither written anew nor moved."""
        return self.gone - self._left

    @cached_property
    def _left(self) -> set[Place]:
        return {(source, old) for (source, _), old in self.moved.items()}

    @property
    def touched(self) -> set[Place]:
        return self.written | self.gone


@dataclass(frozen=True)
class PreparedRows:
    """The rows of the changed documents: kept ones by serial, new ones analysed and embedded."""

    assigned: ReusedRows
    terms: Sequence[Sequence[str]]
    vectors: NDArray[np.float16]        # (new rows, dimensions)

    def new_rows(self, number: int) -> NewRows:
        """The new rows as those of version `number`."""
        return NewRows(self.assigned.new_serials(number), self.assigned.keys, self.terms, self.vectors)


def make_material(base: OpenVersion | None, changes: Changes, analyser: Analyser, vectors: Vectors) -> PreparedRows:
    """Asks for each new row's vector and terms, once. Raises Usage for vectors that cannot be right."""
    assigned = assign_rows(base, changes.changed, changes.moved)
    dimensions = base.manifest.dimensions if base else 0
    rows = np.empty((0, dimensions), np.float16)
    if assigned.keys:
        rows = _checked(vectors(assigned.keys), len(assigned.keys), dimensions)
    return PreparedRows(assigned, [analyser.terms(text) for text in assigned.inputs], rows)


def no_material() -> PreparedRows:
    """For a publish that changes no document."""
    return PreparedRows(ReusedRows(), [], np.empty((0, 0), np.float16))


def check_changes(base: OpenVersion | None, changes: Changes) -> None:
    """Raises BadInput if a place comes twice or two chunks of the new version would share an id."""
    if len(changes.written) != len(changes.changed):
        raise BadInput("a document comes twice in one publish")
    ids = [chunk.id for record in changes.changed for chunk in record.chunks]
    if len(set(ids)) != len(ids) or (base and _taken(base, ids, changes.touched)):
        raise BadInput("two chunks of one version share an id", cure="chunk ids are made by vouch.documents.chunk")


def _taken(base: OpenVersion, ids: Sequence[str], leaving: set[Place]) -> bool:
    """Whether a document that stays has a chunk with one of these ids."""
    chunks = base.chunks
    documents = np.unique(chunks.documents[chunks.find_all(raw_ids(ids))])
    return any(base.header(int(document)).place not in leaving for document in documents)


def _checked(vectors: NDArray[np.float16], count: int, dimensions: int) -> NDArray[np.float16]:
    wrong = vectors.dtype != np.float16 or vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]
    if wrong or (dimensions and vectors.shape[1] != dimensions) or not np.isfinite(vectors).all():
        raise Usage(
            f"{count} new rows of {dimensions or 'any'} dimensions got vectors {vectors.shape} {vectors.dtype}",
            cure="the encoder differs from the one that made the index: build it again with vouch rebuild",
        )
    return vectors
