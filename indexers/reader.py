"""The index as readers meet it: the current version under the current permissions."""

import gc
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property

from indexers.faiss_vectors import VectorIndex
from indexers.hnsw import NOT_LEAK_FREE, GraphSearch, warnings_of
from indexers.lexical import EmbeddedEngine, Lexical, LexicalEngine
from indexers.publish import IndexStore
from indexers.version import OpenVersion
from indexers.visibility import Visibility, VisibleRows
from vouch.access import Audience
from vouch.errors import Damaged, Denied, IndexDown, NotFound
from vouch.ports.encoder import Vector
from vouch.ports.permission_store import PermissionStore
from vouch.retrieval.candidate import Hit, Passage, Statistics

_RETRY = timedelta(seconds=30)          # how often a damaged current version is looked at again
_LOOK = timedelta(seconds=1)            # how often the files of the version served are


def utc_now() -> datetime:
    return datetime.now(UTC)


class LiveIndex:
    """Follows the pointer and the permissions at every call; a view stays with what it was made from."""

    def __init__(
        self,
        store: IndexStore,
        permissions: PermissionStore,
        clock: Callable[[], datetime] = utc_now,
        encoder: str | None = None,
        graphs: GraphSearch | None = None,
    ) -> None:
        """`encoder` is the fingerprint of what encodes questions; an index of another one is not served.

        With `graphs`, a version that has graphs is searched by them, and its views say that this is not leak-free.
        """
        self._store = store
        self._encoder = encoder
        self._graphs = graphs
        self._permissions = permissions
        self._clock = clock
        self._visibility = Visibility()
        self._lock = threading.Lock()
        self._served: tuple[int, OpenVersion, datetime] | None = None
        self._looked = datetime.min.replace(tzinfo=UTC)
        self._moved: list[Callable[[], None]] = []

    def view(self, audience: Audience) -> "LiveView":
        """Raises NotFound before the first version, Damaged if none is sound."""
        version = self.version()
        permissions = self._permissions.permissions()
        self._store.lexical.follow(version, permissions)
        rows = self._visibility.rows(version, permissions, audience, self._clock())
        graphs = self._graphs if warnings_of(version.manifest.fingerprints) else None
        return LiveView(version, permissions.epoch, rows, graphs, self._store.lexical)

    def follow(self) -> OpenVersion:
        """The version served now; engines that keep labels are told of it and of the permissions in force."""
        version = self.version()
        self._store.lexical.follow(version, self._permissions.permissions())
        return version

    def when_moved(self, tell: Callable[[], None]) -> None:
        """From now on `tell` is called before another version is served than until then."""
        self._moved.append(tell)

    def visible(self, audience: Audience, chunk_ids: Sequence[str]) -> set[str]:
        view = self.view(audience)
        return {chunk_id for chunk_id in chunk_ids if view.shows(chunk_id)}

    def version(self) -> OpenVersion:
        """The version served now: the current one, or its nearest sound parent."""
        pointer = self._store.versions.current()
        now = self._clock()
        with self._lock:
            if self._served is not None and self._served[0] == pointer and self._still_serves(self._served, now):
                return self._served[1]
            opened = self._store.open_current()
            if opened is None or pointer is None:
                raise NotFound("there is no index yet", cure="vouch ingest makes one")
            if self._encoder is not None and opened.manifest.fingerprints.get("encoder") != self._encoder:
                cure = "run vouch ingest, which builds it anew, or restart what runs with the old setting"
                raise IndexDown("the index was made by another encoder", cure=cure)
            for tell in self._moved:
                tell()
            purged = self._served is not None and not self._served[1].on_disk
            self._served = (pointer, opened, now)
            self._looked = now
        if purged:
            gc.collect()                # files that were deleted under us are closed now, not at some later time
        return opened

    def _still_serves(self, served: tuple[int, OpenVersion, datetime], now: datetime) -> bool:
        """Whether nothing better is to be expected, and no file was changed under us since the last look.

        Files are mapped, not copied: what is written into them by others is seen at once.
        """
        pointer, version, since = served
        if version.number != pointer and now - since >= _RETRY:
            return False
        if now - self._looked < _LOOK:
            return True
        try:
            version.check()             # a file that looks as it did when it was compared is not read again
        except Damaged:
            self._visibility = Visibility()                 # perhaps made from what was damaged
            return False
        self._looked = now
        return True


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

    def shows(self, chunk_id: str) -> bool:
        """Whether the audience may read this chunk; also False if there is none."""
        chunk = self._version.chunks.find(chunk_id)
        return chunk is not None and bool(self._rows.mask[self._version.row_of_chunk[chunk]])

    @cached_property
    def _lexical(self) -> Lexical:
        return self._engine.open(self._version)

    def _visible(self, chunk_id: str) -> int:
        chunk = self._version.chunks.find(chunk_id)
        if chunk is None or not self._rows.mask[self._version.row_of_chunk[chunk]]:
            raise Denied("a passage does not exist or may not be read", cure="ask again: documents or rights changed")
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
        )
