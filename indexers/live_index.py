"""The index as readers meet it: the current version under the current permissions."""

import gc
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from indexers.parts.document_parts import Header
from indexers.publishing.index_store import IndexStore
from indexers.search.view import LiveView
from indexers.search.visibility import Visibility
from indexers.segments.hnsw import GraphSearch, warnings_of
from indexers.versions.version import OpenVersion
from vouch.access import NOBODY, Audience, Permissions
from vouch.errors import Damaged, IndexDown, NotFound
from vouch.filters import EVERYTHING, Filters
from vouch.ports.index import Readable
from vouch.ports.stores import PermissionStore

_RETRY = timedelta(seconds=30)          # how often a damaged current version is looked at again
_LOOK = timedelta(seconds=1)            # how often the files of the version served are


def utc_now() -> datetime:
    return datetime.now(UTC)


class _Served(NamedTuple):
    """What was opened for a pointer; `hidden`: nothing of it may be shown to anybody."""

    pointer: int
    version: OpenVersion
    since: datetime
    hidden: bool


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
        self._served: _Served | None = None
        self._looked = datetime.min.replace(tzinfo=UTC)
        self._moved: list[Callable[[], None]] = []
        self._agreed: tuple[int, int] | None = None         # an epoch and a version that were in force together

    def view(self, audience: Audience, filters: Filters = EVERYTHING) -> LiveView:
        """Raises NotFound before the first version, Damaged if none is sound."""
        return self._view(*self._served_now(), audience, filters)

    def _view(self, version: OpenVersion, permissions: Permissions, audience: Audience, filters: Filters) -> LiveView:
        self._store.lexical.follow(version, permissions)
        rows = self._visibility.rows(version, permissions, audience, self._clock(), filters)
        graphs = self._graphs if warnings_of(version.manifest.fingerprints) else None
        return LiveView(version, permissions.epoch, rows, graphs, self._store.lexical)

    def follow(self) -> OpenVersion:
        """The version served now; engines that keep labels are told of it and of the permissions in force."""
        version, permissions = self._served_now()
        self._store.lexical.follow(version, permissions)
        return version

    def when_moved(self, tell: Callable[[], None]) -> None:
        """From now on `tell` is called before another version is served than until then."""
        self._moved.append(tell)

    def visible(self, audience: Audience, chunk_ids: Sequence[str]) -> set[str]:
        view = self.view(audience)
        return {chunk_id for chunk_id in chunk_ids if view.shows(chunk_id)}

    def visible_to(self, readers: Sequence[str], chunk_ids: Sequence[str]) -> Readable:
        version, permissions = self._served_now()
        audience = permissions.directory.audience(readers, self._clock())
        view = self._view(version, permissions, audience, EVERYTHING)
        return Readable({chunk_id for chunk_id in chunk_ids if view.shows(chunk_id)}, audience, view)

    def has_version(self) -> bool:
        served = self._served
        if served is not None and not served.hidden:
            return True                 # the first version is the end of none
        try:
            self.version()
        except NotFound:
            return False
        return True

    def _served_now(self) -> tuple[OpenVersion, Permissions]:
        """A version and the permissions of one moment.

        What an ingest ends to limit must not be read in the version before
        that ingest. Versions never come back, so one that is still served when
        the permissions are known was served when they were looked up; and
        without a change of permissions there is nothing to mix up.
        """
        while True:
            version, permissions = self.version(), self._permissions.permissions()
            if self._agreed == (permissions.epoch, version.number) or self.version() is version:
                self._agreed = (permissions.epoch, version.number)
                return version, permissions

    def header(self, source: str, path: str) -> Header | None:
        """Of the document there in the version served now, whoever may read it; None if there is none."""
        version = self.version()
        number = version.find((source, path))
        return None if number is None else version.header(number)

    def version(self) -> OpenVersion:
        """The version served now: the current one, or its nearest sound parent.

        Raises Damaged also if nothing of that parent may be shown to anybody.
        """
        pointer = self._store.versions.current()
        now = self._clock()
        with self._lock:
            if self._served is not None and self._served.pointer == pointer and self._still_serves(self._served, now):
                return _shown(self._served)
            opened = self._store.open_current()
            if opened is None or pointer is None:
                raise NotFound("there is no index yet", cure="vouch ingest; without a source, vouch source add first")
            if self._encoder is not None and opened.manifest.fingerprints.get("encoder") != self._encoder:
                cure = "run vouch ingest, which builds it again, or restart what runs with the old setting"
                raise IndexDown("the index was made by another encoder", cure=cure)
            for tell in self._moved:
                tell()
            purged = self._served is not None and not self._served.version.on_disk
            served = self._served = _Served(pointer, opened, now, _all_hidden(opened))
            self._looked = now
        if purged:
            gc.collect()                # files that were deleted under us are closed now, not at some later time
        return _shown(served)

    def _still_serves(self, served: _Served, now: datetime) -> bool:
        """Whether nothing better is to be expected, and no file was changed under us since the last look.

        Files are mapped, not copied: what is written into them by others is seen at once.
        """
        if served.version.number != served.pointer and now - served.since >= _RETRY:
            return False
        if now - self._looked < _LOOK:
            return True
        try:
            served.version.check()      # a file that looks as it did when it was compared is not read again
        except Damaged:
            self._visibility = Visibility()                 # perhaps made from what was damaged
            return False
        self._looked = now
        return True


def _shown(served: _Served) -> OpenVersion:
    """Raises Damaged if nobody may read anything of it."""
    if served.hidden:
        raise Damaged(
            f"version {served.pointer} is damaged, and of no document can be told who may read it in version "
            f"{served.version.number}",
            cure="vouch ingest makes a sound version; or restore the file",
        )
    return served.version


def _all_hidden(version: OpenVersion) -> bool:
    """Whether a stand-in has documents and nobody may read any: that nothing is found would be untrue."""
    limits = version.limits
    return bool(limits and all(limits.get(h.place) == NOBODY for h in version.headers if h.chunks))
