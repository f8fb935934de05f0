"""Elasticsearch as the lexical engine of a home."""

import logging
import re
import threading
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any
from weakref import ref

from indexers.elastic.search import ElasticIndex, ElasticVectors, Frequencies
from indexers.elastic.server.client import ElasticOptions, KnownServers
from indexers.elastic.server.mapping import Vectors, index_body, index_name
from indexers.elastic.server.server import ElasticServer
from indexers.elastic.sync.audit import RowAudit
from indexers.elastic.sync.consistent_read import ConsistentReader
from indexers.elastic.sync.row_journal import RowJournal
from indexers.elastic.sync.row_sync import IndexedSegment, RowSync, beside, places_of
from indexers.elastic.sync.selection import Query
from indexers.search.engines import Dense, Lexical
from indexers.search.labels import label_documents
from indexers.segments.hnsw import GraphSearch, graphs_on_server
from indexers.versions.version import OpenVersion
from vouch.access import Permissions
from vouch.errors import Damaged, IndexDown, Usage, VouchError
from vouch.ports.models import Analyser
from vouch.ports.stores import PermissionStore

_LOGGER = logging.getLogger("vouch.indexers")
State = tuple[ref[OpenVersion], int]    # a version as it is open, and the epoch


class ElasticEngine:
    """Safe to share between threads. Several processes may work on one home and one server."""

    def __init__(
        self, server: ElasticServer, home: Path, analyser: Analyser, permissions: PermissionStore,
        vectors: bool = False,
    ) -> None:
        """With `vectors`, rows have them on the server, and are searched by them there."""
        self._vectors = vectors
        self._server = server
        self._notes = RowJournal(home)
        self._used = KnownServers(home)
        self._analyser = analyser
        self._permissions = permissions
        self._keeper = RowSync(server, self._notes, analyser)
        self._audit = RowAudit(server, self._notes)
        self._frequencies = Frequencies()
        self._lock = threading.Lock()
        self._followed: State | None = None
        self._following: threading.Thread | None = None

    def open(self, version: OpenVersion) -> Lexical:
        return ElasticIndex(self._steady(version), self._frequencies, version)

    def dense(self, version: OpenVersion, graphs: GraphSearch | None = None) -> Dense | None:
        held = self._form(version)
        if held is None:
            return None
        return ElasticVectors(self._steady(version), version, graphs if held.graph else None)

    def prepare(self, version: OpenVersion) -> None:
        """All rows of `version` are there, refreshed and counted. Waits for a server that is away.

        Raises Damaged if the count is not right after all, Usage for a version of another analyser.
        """
        labels = label_documents(version, self._permissions.permissions())
        self._server.patiently(
            lambda: self._bring(version, lambda place: self._keeper.write_all(version, place, labels)))

    def catch_up(self, current: Callable[[], OpenVersion | None]) -> None:
        version = current()
        if version is not None and version.manifest.fingerprints.get("analyser") == self._analyser.fingerprint:
            self.prepare(version)

    def follow(self, version: OpenVersion, permissions: Permissions) -> None:
        """Labels follow the permissions in a thread of its own, one at a time. Searches are right without that."""
        state = (ref(version), permissions.epoch)       # not its number, which says too little; and it may be closed
        with self._lock:
            busy = self._following is not None and self._following.is_alive()
            if busy or self._followed == state or not self._knows(version):
                return
            self._following = beside("labels", partial(self._follow, version, permissions, state))

    def wait(self) -> None:
        """Labels have followed, or could not."""
        with self._lock:
            following = self._following
        if following is not None:
            following.join()

    def sweep(self, needed: Collection[str], *, dry_run: bool = False) -> int:
        unneeded = self._unneeded(needed)
        count = 0
        for segment, note in self._notes.names() if not dry_run else ():
            if segment not in needed:
                with self._notes.sole(note):            # whoever writes such rows now has ended before they are deleted
                    self._notes.forget(note)
        for index in self._indices():
            count += self._count(index, unneeded) if dry_run else self._server.delete(index, unneeded)
        return count

    def purge(self, needed: Collection[str]) -> tuple[str, ...]:
        """Raises Damaged if a search still finds such rows."""
        self.sweep(needed)
        left = []
        for index in self._indices():
            deleted = self._server.merge_deleted(index)
            if self._count(index, self._unneeded(needed)):
                raise Damaged(f"the index {index} still finds rows of purged segments", cure="run it again")
            if deleted:
                left.append(f"{deleted} deleted rows are still in files of the index {index} until it merges them")
        return (*left, *self._used.others(self._server.options.url, self._server.options.index_prefix))

    def terms_left(self, terms: Collection[str]) -> list[tuple[str, int]]:
        found = []
        for index in self._indices() if terms else ():
            count = sum(bool(self._count(index, {"bool": {"filter": [
                {"term": {"home": self._notes.home_id}}, {"term": {"terms": term}},
            ]}})) for term in terms)
            if count:
                found.append((f"Elasticsearch index {index}", count))
        return found

    def problems(self, version: OpenVersion) -> list[str]:
        places = self._places(version)
        wrong = [f"Elasticsearch holds other rows of segment {p.segment} than were sent"
                 for p in self._audit.miscounted(places)]
        live = version.rows.live
        for place in places:
            absent = int((live[place.span] & (self._notes.read(place.note, place.rows).of_row < -1)).sum())
            wrong += [f"{absent} rows of segment {place.segment} are not in Elasticsearch"] if absent else []
        return wrong

    def check(self) -> str:
        names = self._indices()
        rows = sum(self._count(name, {"term": {"home": self._notes.home_id}}) for name in names)
        return f"Elasticsearch {self._server.version()} at {self._server.options.url}, {rows} rows of this home"

    def _bring(self, version: OpenVersion, bring: Callable[[IndexedSegment], None]) -> None:
        """Has `bring` do its work on each segment, and once more on those that are then not as noted."""
        if not self._knows(version):
            raise Usage(f"version {version.number} was made with another analyser", cure="ingest again instead")
        indexed_segments = self._places(version)
        self._used.add(self._server.options.url, self._server.options.index_prefix)
        self._server.make_index(self._index(version), self._body(version))
        for indexed_segment in indexed_segments:
            bring(indexed_segment)
        wrong = self._audit.miscounted(indexed_segments)
        for indexed_segment in wrong:
            self._audit.note_anew(indexed_segment)
            bring(indexed_segment)
        if wrong and (still := self._audit.miscounted(indexed_segments)):
            names = ", ".join(indexed_segment.segment for indexed_segment in still)
            raise Damaged(f"Elasticsearch does not hold the rows it acknowledged of {names}",
                          cure="look at its log; nothing was published")

    def _follow(
        self, version: OpenVersion, permissions: Permissions, state: State, go_on: Callable[[], bool]
    ) -> None:
        labels = label_documents(version, permissions)
        try:
            self._bring(version, lambda segment: self._keeper.follow(version, segment, labels, go_on))
        except VouchError as error:
            _LOGGER.warning("labels in Elasticsearch have not followed yet: %s", error)
        else:
            if all(self._keeper.followed(version, segment, labels) for segment in self._places(version)):
                with self._lock:
                    self._followed = state

    def _doubt(self) -> None:
        with self._lock:
            self._followed = None

    def _knows(self, version: OpenVersion) -> bool:
        mine = self._analyser.fingerprint
        return version.manifest.fingerprints.get("analyser", mine) == mine

    def _index(self, version: OpenVersion) -> str:
        return index_name(self._server.options.index_prefix, version.manifest, self._analyser.fingerprint,
                          self._form(version))

    def _body(self, version: OpenVersion) -> Query:
        return index_body(version.manifest.reference_length, self._server.options.shards, self._form(version))

    def _form(self, version: OpenVersion) -> Vectors | None:
        """Of the vectors that rows of this version have on the server."""
        manifest = version.manifest
        if not self._vectors or not manifest.dimensions:
            return None
        return Vectors(manifest.dimensions, graphs_on_server(manifest.fingerprints))

    def _places(self, version: OpenVersion) -> list[IndexedSegment]:
        return places_of(version, self._index(version), dense=self._form(version) is not None)

    def _steady(self, version: OpenVersion) -> ConsistentReader:
        index, body = self._index(version), self._body(version)
        return ConsistentReader(self._server, self._notes, index, body, version, self._doubt)

    def _indices(self) -> list[str]:
        """Indices of our prefix that vouch named. Raises IndexDown if such a name leads to another index."""
        prefix = self._server.options.index_prefix
        ours = re.compile(re.escape(prefix) + r"-[0-9a-f]{12}")
        found = self._server.indices(f"{prefix}-*")
        for name, aliases in found.items():
            if lent := next(filter(ours.fullmatch, aliases), None):
                raise IndexDown(f"{lent} is an alias of the index {name}", cure="remove the alias and ingest")
        return [name for name in found if ours.fullmatch(name)]

    def _unneeded(self, needed: Collection[str]) -> Query:
        home = {"term": {"home": self._notes.home_id}}
        return {"bool": {"filter": [home], "must_not": [{"terms": {"segment": sorted(needed)}}]}}

    def _count(self, index: str, query: Query) -> int:
        reply = self._server.search(index, {"query": query, "size": 0, "track_total_hits": True})
        return int(reply["hits"]["total"]["value"])


def elastic_engine(
    home: Path, analyser: Analyser, permissions: PermissionStore, *, vectors: bool = False, **options: Any
) -> ElasticEngine:
    """The engine of a home; `options` as in ElasticOptions. Connects when it is first asked."""
    return ElasticEngine(ElasticServer(ElasticOptions(**options)), home, analyser, permissions, vectors)
