"""One version of the index as one audience sees it: every search and look-up runs inside the visible rows."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from indexers.search.engines import EmbeddedEngine, Lexical, LexicalEngine
from indexers.search.faiss_vectors import VectorIndex
from indexers.search.visibility import VisibleRows, narrowed
from indexers.segments.hnsw import NOT_LEAK_FREE, GraphSearch
from indexers.versions.version import OpenVersion
from vouch.errors import Denied
from vouch.filters import Filters
from vouch.ports.models import Vector
from vouch.values.candidate import Hit, Listed, Passage, Statistics

_LISTED = "documents in order"


class LiveView:
    """One version as one audience sees it."""

    def __init__(
        self, version: OpenVersion, epoch: int, rows: VisibleRows, graphs: GraphSearch | None = None,
        lexical: LexicalEngine | None = None,
    ) -> None:
        self._version = version
        self._epoch = epoch
        self._rows = rows
        self._graphs = graphs
        self._engine = lexical or EmbeddedEngine()

    @property
    def version(self) -> int:
        return self._version.number

    @property
    def epoch(self) -> int:
        return self._epoch

    @property
    def notes(self) -> tuple[str, ...]:
        return (NOT_LEAK_FREE,) if self._graphs is not None else ()

    def narrowed(self, filters: Filters) -> "LiveView":
        rows = narrowed(self._version, self._rows, filters)
        return LiveView(self._version, self._epoch, rows, self._graphs, self._engine)

    def lexical(self, terms: Sequence[str], top: int) -> list[Hit]:
        return self._lexical.search(terms, self._rows, top)

    def dense(self, vector: Vector, top: int) -> list[Hit]:
        found = self._engine.dense(self._version, self._graphs) or VectorIndex(self._version, self._graphs)
        return found.search(vector, self._rows, top)

    def statistics(self, terms: Iterable[str]) -> Statistics:
        return self._lexical.statistics(terms, self._rows)

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        return [self._passage(self._visible(chunk_id)) for chunk_id in chunk_ids]

    def around(self, chunk_id: str, before: int, after: int) -> list[str]:
        chunk = self._visible(chunk_id)
        first, end = self._siblings(chunk)
        near = range(max(first, chunk - max(before, 0)), min(end, chunk + max(after, 0) + 1))
        return [self._version.chunks.hex_id(n) for n in near if n != chunk]

    def same_section(self, chunk_id: str) -> list[str]:
        chunk = self._visible(chunk_id)
        first, _ = self._siblings(chunk)
        chunks = self._version.stored(self._document(chunk)).record.chunks
        section = chunks[chunk - first].section
        return [c.id for c in chunks if c.section == section and c.id != chunk_id]

    def of_document(self, source: str, path: str) -> list[str]:
        number = self._version.find((source, path))
        if number is None:
            return []
        chunks, rows = self._version.chunks, self._version.row_of_chunk
        own = range(int(chunks.firsts[number]), int(chunks.firsts[number + 1]))
        return [chunks.hex_id(n) for n in own if self._rows.mask[rows[n]]]

    def documents(self, after: tuple[str, str], most: int) -> list[Listed]:
        headers, numbers = self._version.headers, self._in_order()
        first = bisect_right(numbers, after, key=lambda number: headers[number].place)
        found = (headers[number] for number in numbers[first : first + most])
        return [Listed(one.source, one.path, one.title, one.injections > 0) for one in found]

    def shows(self, chunk_id: str) -> bool:
        """Whether the audience may read this chunk; also False if there is none."""
        chunk = self._version.chunks.find(chunk_id)
        return chunk is not None and bool(self._rows.mask[self._version.row_of_chunk[chunk]])

    def starting(self, digits: str) -> list[str]:
        chunks, mask = self._version.chunks, self._rows.mask
        return [chunks.hex_id(n) for n in chunks.starting(digits) if mask[self._version.row_of_chunk[n]]]

    @cached_property
    def _lexical(self) -> Lexical:
        return self._engine.open(self._version)

    def _in_order(self) -> list[int]:
        """Numbers of the visible documents by source and path, worked out once for all who may read the same."""
        if _LISTED not in self._rows.kept:
            chunks, headers = self._version.chunks, self._version.headers
            numbers = np.unique(chunks.documents[self._rows.mask[self._version.row_of_chunk]]).tolist()
            self._rows.kept[_LISTED] = sorted(numbers, key=lambda number: headers[number].place)
        found: list[int] = self._rows.kept[_LISTED]
        return found

    def _visible(self, chunk_id: str) -> int:
        chunk = self._version.chunks.find(chunk_id)
        if chunk is None or not self._rows.mask[self._version.row_of_chunk[chunk]]:
            raise Denied("a passage does not exist or may not be read",
                         cure="ask again: documents or permissions changed")
        return chunk

    def _document(self, chunk: int) -> int:
        return int(self._version.chunks.documents[chunk])

    def _siblings(self, chunk: int) -> tuple[int, int]:
        """Numbers of the first chunk of the same document, and of the one after its last."""
        firsts, document = self._version.chunks.firsts, self._document(chunk)
        return int(firsts[document]), int(firsts[document + 1])

    def _passage(self, number: int) -> Passage:
        first, end = self._siblings(number)
        record = self._version.stored(self._document(number)).record
        chunk = record.chunks[number - first]
        return Passage(
            chunk.id,
            record.source,
            record.path,
            record.title,
            chunk.section,
            self._version.passage_text(number),
            chunk.start,
            chunk.end,
            chunk.first_line,
            chunk.last_line,
            chunk.ordinal,
            end - first,
            chunk.page,
            chunk.has_table,
            record.url,
            self._version.passage_header(number),
            chunk.injection,
            chunk.markup,
            changed_at=record.changed_at,
        )
