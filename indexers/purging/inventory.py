"""Everything the index of a home holds: the kept versions, their folders, and each document in each folder."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Header, Part, Place
from indexers.segments.segment import Segment
from indexers.versions.files import IndexFiles
from vouch.documents.manifest import Manifest
from vouch.errors import Damaged, NotFound
from vouch.ports.stores import VersionStore

Content = tuple[Place, str]             # a place and the hash of what stands or stood there


@dataclass(frozen=True, eq=False)
class StoredCopy:
    """A document as one part holds it, whatever version shows it."""

    part: Part
    number: int
    kept: bool                          # False: only versions that are no longer kept name the part

    @property
    def header(self) -> Header:
        return self.part.headers[self.number]

    @property
    def content(self) -> Content:
        return self.header.place, self.header.hash

    @property
    def _chunks(self) -> slice:
        return slice(int(self.part.firsts[self.number]), int(self.part.firsts[self.number + 1]))

    @property
    def serials(self) -> NDArray[np.int64]:
        return self.part.serials[self._chunks]

    @property
    def ids(self) -> set[str]:
        return {bytes(row).hex() for row in self.part.ids[self._chunks]}


@dataclass
class Inventory:
    """`manifests` are those of published versions; folders are opened once, whatever versions share them."""

    current: int | None
    manifests: dict[int, Manifest] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    segments: dict[str, Segment] = field(default_factory=dict)
    former: dict[str, Part] = field(default_factory=dict)       # named only by versions no longer kept

    @cached_property
    def documents(self) -> list[StoredCopy]:
        return [*self._of(self.parts, True), *self._of(self.former, False)]

    @cached_property
    def live(self) -> dict[Place, str]:
        """Place → hash of the documents of the current version."""
        found: dict[Place, str] = {}
        manifest = self.manifests.get(self.current) if self.current is not None else None
        for entry in manifest.parts if manifest else ():
            part = self.parts[entry.id]
            for place in part.removed:
                found.pop(place, None)
            found.update((header.place, header.hash) for header in part.headers)
        return found

    @staticmethod
    def _of(parts: dict[str, Part], kept: bool) -> Iterator[StoredCopy]:
        for part in parts.values():
            yield from (StoredCopy(part, number, kept) for number in range(len(part.headers)))


def read_holdings(files: IndexFiles, versions: VersionStore) -> Inventory:
    """Every file of the kept versions is sound. Raises Damaged, naming the version that is not.

    A version without a manifest is passed over: nothing can be read through
    it. Of versions no longer kept whatever is still there is read.
    """
    current = versions.current()        # before the rows: whatever is published later is not missed
    holdings = Inventory(current)
    for row in versions.rows():
        try:
            if row.state == "published":
                _keep(holdings, files, row.number)
        except Damaged as error:
            cure = f"restore it, or delete {files.versions / str(row.number)} and lose version {row.number}"
            raise Damaged(f"version {row.number} cannot be searched: {error.cause}", cure=cure) from error
    if current is not None and current not in holdings.manifests:
        raise Damaged(f"version {current} is current and has no manifest", cure="restore it, or roll back")
    for row in versions.rows():
        if row.state != "published":
            with contextlib.suppress(Damaged, NotFound):
                _look_at(holdings, files, row.number)
    return holdings


def _keep(holdings: Inventory, files: IndexFiles, number: int) -> None:
    with contextlib.suppress(NotFound):
        manifest = files.manifest(number)
        version = files.open(manifest)
        version.check(documents_only=True)
        for segment in version.segments:
            segment.folder.check()
            holdings.segments[segment.folder.entry.id] = segment
        holdings.parts.update((part.folder.entry.id, part) for part in version.parts)
        holdings.manifests[number] = manifest


def _look_at(holdings: Inventory, files: IndexFiles, number: int) -> None:
    version = files.open(files.manifest(number))
    version.check(documents_only=True)
    for part in version.parts:
        if part.folder.entry.id not in holdings.parts:
            holdings.former[part.folder.entry.id] = part
