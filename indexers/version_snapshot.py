"""One version of the index, chosen by its number, under the permissions in force now."""

from collections.abc import Callable, Sequence
from datetime import datetime

from indexers.publishing.index_store import IndexStore
from indexers.search.view import LiveView
from indexers.search.visibility import Visibility
from indexers.versions.version import OpenVersion
from vouch.access import Audience
from vouch.errors import IndexDown
from vouch.filters import EVERYTHING, Filters
from vouch.ports.index import Readable
from vouch.ports.stores import PermissionStore


class FormerIndex:
    """Implements ports.Index. What was narrowed or went since that version is hidden, whatever the rules say now."""

    def __init__(
        self, store: IndexStore, permissions: PermissionStore, number: int, encoder: str,
        clock: Callable[[], datetime],
    ) -> None:  # fmt: skip
        """`encoder` is the fingerprint of what encodes questions."""
        self._store, self._permissions, self._number = store, permissions, number
        self._encoder, self._clock = encoder, clock
        self._visibility = Visibility()

    def view(self, audience: Audience, filters: Filters = EVERYTHING) -> LiveView:
        """Raises NotFound for a version that is not there, IndexDown for one of another encoder."""
        permissions = self._permissions.permissions()       # first: what they open later is limited by what went before
        version = self._version()
        rows = self._visibility.rows(version, permissions, audience, self._clock(), filters)
        return LiveView(version, permissions.epoch, rows, None, self._store.lexical)

    def visible(self, audience: Audience, chunk_ids: Sequence[str]) -> set[str]:
        view = self.view(audience)
        return {chunk_id for chunk_id in chunk_ids if view.shows(chunk_id)}

    def visible_to(self, readers: Sequence[str], chunk_ids: Sequence[str]) -> Readable:
        audience = self._permissions.permissions().directory.audience(readers, self._clock())
        view = self.view(audience)
        return Readable({chunk_id for chunk_id in chunk_ids if view.shows(chunk_id)}, audience, view)

    def has_version(self) -> bool:
        """Of a replay there always is one, or opening it says why not."""
        return True

    def _version(self) -> OpenVersion:
        """Opened anew at every call: what is narrowed meanwhile limits it, too."""
        version = self._store.open_former(self._number)
        if version.manifest.fingerprints.get("encoder") != self._encoder:
            raise IndexDown(f"version {self._number} was made by another encoder", cure="choose a later version")
        return version
