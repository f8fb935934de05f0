"""Owners of documents, as the documents and the access files name them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from indexers.reader import LiveIndex
from vouch.ports.permission_store import PermissionStore


@dataclass(frozen=True)
class DocumentOwners:
    """Implements ports.Owners, over the version and the rules of the moment."""

    index: LiveIndex
    permissions: PermissionStore

    def owners_of(self, source: str, path: str) -> tuple[str, ...]:
        header = self.index.header(source, path)
        if header is None:
            return ()
        return self.permissions.permissions().owners_of(source, path, header.owners)

    def named(self) -> tuple[str, ...]:
        stated = {tag for header in self.index.version().headers for tag in header.owners}
        books = self.permissions.permissions().rulebooks.values()
        return tuple(sorted(stated | {tag for book in books for rule in book.owners.rules for tag in rule.owners}))

    def readable(self, tag: str, documents: Collection[str], moment: datetime) -> set[str]:
        """Those of `documents`, SOURCE:PATH, that this reader may read at this moment."""
        view = self.index.view(self.permissions.permissions().directory.audience([tag], moment))
        return {one for one in documents if view.of_document(*one.partition(":")[::2])}
