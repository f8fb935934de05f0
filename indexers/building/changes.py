"""What a publish is asked to do, and the index rows for that: former ones where the text is the same."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Place, raw_ids
from indexers.segments.segment import SERIALS_PER_VERSION, NewRows, input_key
from indexers.versions.version import OpenVersion
from vouch.documents.chunk import chunk_header, indexed_input
from vouch.documents.document import DocumentRecord
from vouch.errors import BadInput, Usage
from vouch.ports.models import Analyser


@dataclass
class ReusedRows:
    """`rows` per changed document, in its chunks' order: a kept row by its serial, the n-th new one as −1 − n.

    So it does not depend on the number of the version that is being made.
    `keys` and `inputs` are those of the new rows.
    """

    rows: list[list[int]] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)

    @property
    def kept(self) -> list[int]:
        """Serials of the kept rows."""
        return [row for rows in self.rows for row in rows if row >= 0]

    def new_serials(self, number: int) -> NDArray[np.int64]:
        """Serials of the new rows in version `number`."""
        return np.arange(len(self.keys), dtype=np.int64) + number * SERIALS_PER_VERSION

    def serials(self, document: int, number: int) -> NDArray[np.int64]:
        """Serials of all rows of a changed document in version `number`."""
        rows = np.array(self.rows[document], np.int64)
        return np.where(rows < 0, number * SERIALS_PER_VERSION - 1 - rows, rows)

    def add(self, key: bytes, text: str) -> int:
        self.keys.append(key)
        self.inputs.append(text)
        return -len(self.keys)


class FormerRows:
    """The rows of the documents that a publish replaces, by document and key; each is taken once."""

    def __init__(self, base: OpenVersion | None, places: Sequence[Place]) -> None:
        self._rows: dict[Place, dict[bytes, list[int]]] = {}
        for place in places:
            number = base.find(place) if base else None
            if base is not None and number is not None:
                self._rows[place] = _rows_by_key(base, number)

    def take(self, place: Place, key: bytes) -> int | None:
        """The serial of a row of the document that was at `place`, or None."""
        serials = self._rows.get(place, {}).get(key)
        return serials.pop() if serials else None


def assign_rows(
    base: OpenVersion | None, changed: Sequence[DocumentRecord], moved: Mapping[Place, str]
) -> ReusedRows:
    """Rows for all chunks of `changed`. A moved document is looked for where it was before."""
    former = {(r.source, r.path): (r.source, moved.get((r.source, r.path), r.path)) for r in changed}
    rows = FormerRows(base, list(dict.fromkeys(former.values())))
    assigned = ReusedRows()
    for record in changed:
        place = former[record.source, record.path]
        assigned.rows.append([_row(assigned, rows, place, text) for text in model_inputs(record)])
    return assigned


def model_inputs(record: DocumentRecord) -> list[str]:
    """The exact model input of each chunk."""
    if record.state == "quarantined" and record.chunks:
        raise BadInput(f"{record.source}/{record.path} is quarantined and has chunks")
    return [_remembered(c.section, record.text[c.start : c.end], chunk_header(record.text, c), c.injection)
            for c in record.chunks]


@lru_cache(maxsize=2048)
def _remembered(section: tuple[str, ...], text: str, header: str, injection: bool) -> str:
    """Asked for when a chunk is embedded, when it is published, and again when the document changes elsewhere."""
    return indexed_input(section, text, header, injection=injection)


def _row(assigned: ReusedRows, rows: FormerRows, place: Place, text: str) -> int:
    key = input_key(text)
    serial = rows.take(place, key)
    return assigned.add(key, text) if serial is None else serial


def _rows_by_key(base: OpenVersion, document: int) -> dict[bytes, list[int]]:
    first, end = base.chunks.firsts[document], base.chunks.firsts[document + 1]
    offsets = np.array(base.rows.offsets)
    found: dict[bytes, list[int]] = {}
    for chunk in range(int(end) - 1, int(first) - 1, -1):   # backwards: `pop` then gives the first one
        row = int(base.row_of_chunk[chunk])
        segment = int(np.searchsorted(offsets, row, "right")) - 1
        key = bytes(base.segments[segment].keys[row - int(offsets[segment])])
        found.setdefault(key, []).append(int(base.chunks.serials[chunk]))
    return found


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
