"""What most commands work with: the ledger, the index and the permissions in force, without any model."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from indexers.parts.document_parts import Header
from indexers.publishing.index_store import IndexStore, OpenVersion
from services.documents.access_report import AccessReport
from services.documents.versions import VersionService
from vouch.access import Permissions
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import Ledger
from vouch.errors import NotFound


@dataclass(frozen=True)
class Administration:
    home: Path
    ledger: Ledger
    store: IndexStore
    watched: WatchedPermissions

    @property
    def permissions(self) -> Permissions:
        return self.watched.permissions()

    @property
    def bearing(self) -> Permissions:
        """The permissions as they apply to the version that is served now.

        What another source left under the name of one there is now waits for a scan of that one, and a version
        that stands in for a damaged one limits its own documents.
        """
        permissions, version = self.watched.permissions(), self._version()
        if version is None:
            return permissions
        foreign = version.foreign(permissions.generations)
        limits = dict(permissions.restrictions)
        for document, more in (version.limits or {}).items():
            limits[document] = (*limits.get(document, ()), *more)
        scanned = {name: former for name, former in permissions.scanned.items() if name not in foreign}
        return replace(permissions, scanned=scanned, restrictions=limits)

    def access_report(self) -> AccessReport:
        """By the rules and memberships in force at this moment."""
        return AccessReport(self.bearing, self.ledger.sources.list(), self.documents())

    def documents(self) -> list[Header]:
        """All documents of the current version, in order of source and path."""
        version = self._version()
        return list(version.documents()) if version else []

    def find(self, document: str) -> Header:
        """The document `SOURCE:PATH`, or at a PATH that one source has. Raises NotFound."""
        self._current()
        found = [h for h in self.documents() if document in (f"{h.source}:{h.path}", h.path)]
        if len(found) != 1:
            many = f"is in several sources: {', '.join(sorted(h.source for h in found))}" if found else "is not indexed"
            raise NotFound(f"{document} {many}", cure="name it SOURCE:PATH as vouch documents lists it")
        return found[0]

    def current_version(self) -> int:
        return self._current().number

    @cached_property
    def versions(self) -> VersionService:
        return VersionService(self.home, self.ledger, self.store)

    def _version(self) -> OpenVersion | None:
        return self.store.open_current(documents_only=True)

    def _current(self) -> OpenVersion:
        version = self._version()
        if version is None:
            raise NotFound("nothing has been ingested yet", cure="run: vouch ingest")
        return version
