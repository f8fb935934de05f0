"""Takes a document out of every version of the index, and its files off the disk.

New folders without it are written beside the old ones; the manifests of all
versions that named the old ones are replaced, numbers kept; the current
content is published under a new number, so that every reader moves on; then
everything that no version names is deleted at once. A purge that is killed is
run again, and does what is left.
"""

import contextlib
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Part, Place, write_part
from indexers.purging.inventory import read_holdings
from indexers.purging.lineage import Lineage, trace_lineage
from indexers.purging.residue import Residue, needed_serials, remains_of
from indexers.search.engines import EmbeddedEngine, LexicalEngine
from indexers.segments.segment import NewRows, Segment, write_segment
from indexers.storage import disk_errors, sync_folder
from indexers.versions.files import ONE_LEDGER, IndexFiles
from indexers.versions.version import OpenVersion
from indexers.versions.version_locks import MANIFEST, nobody_publishes
from vouch.documents.manifest import Counts, FolderEntry, Manifest
from vouch.errors import Busy, Conflict, NotFound, Usage, VouchError
from vouch.ports.stores import VersionStore

_OURS = re.compile(r"[0-9a-f]{32}|[0-9]+")             # names of folders; what else lies there is not vouch's


@dataclass(frozen=True, slots=True)
class Purged:
    """`version` is the new current one, None without an index; `rewritten` versions hold less than before."""

    version: int | None
    rewritten: tuple[int, ...]
    deleted: int
    unproven: tuple[str, ...] = ()      # what cannot be shown to be gone, in words


class IndexPurge:
    """A purge of `places` from the index of one home. Nobody may publish meanwhile; who does loses the race.

    `hashes` are contents that belong to the document besides what is found,
    `common` those that say nothing. Raises Damaged if a kept version cannot
    be read.
    """

    def __init__(
        self,
        home: Path,
        versions: VersionStore,
        places: Collection[Place],
        hashes: Iterable[str] = (),
        common: Collection[str] = (),
        lexical: LexicalEngine | None = None,
    ) -> None:
        self._home = home
        self._files = IndexFiles(home)
        self._versions = versions
        self._lexical = lexical or EmbeddedEngine()
        self._places = set(places)
        self._holdings = read_holdings(self._files, versions)
        for row in versions.rows():
            if row.state == "published" and self._files.others(row.number, row.created_at):
                raise Usage(f"{self._files.folder(row.number)} was written with another ledger", cure=ONE_LEDGER)
        self.lineage: Lineage = trace_lineage(self._holdings, self._places, hashes, common)

    @property
    def places(self) -> frozenset[Place]:
        return frozenset(self._places)

    def versions(self) -> Iterator[tuple[int, OpenVersion]]:
        """The kept versions, oldest first."""
        for number in sorted(self._holdings.manifests):
            yield number, self._files.open(self._holdings.manifests[number])

    def remains(self) -> Residue:
        """What of the document the index holds, and what else it holds."""
        return remains_of(self._holdings, self.lineage.contents)

    def run(self) -> Purged:
        """Afterwards no file of the index holds the document, and running readers move on to a new version.

        Raises Busy while somebody publishes, Conflict if somebody did since this purge looked.
        """
        with nobody_publishes(self._home) as alone:
            if not alone:
                raise Busy("a version is being published on this home", cure="wait until it is, then run again")
            return self._run()

    def _run(self) -> Purged:
        for row in self._versions.rows():
            if row.state == "building":
                with contextlib.suppress(Usage):            # it was published in this very moment
                    self._versions.abandon(row.number)
        changed = self._replaced()
        for number in changed:
            self._files.write_manifest(changed[number])
        version = self._publish(changed)
        deleted = self._delete()
        return Purged(version, tuple(changed), deleted, self._lexical.purge(self._named()[self._files.segments]))

    def _replaced(self) -> dict[int, Manifest]:
        """The manifests of the versions that become different; their new folders are on the disk."""
        holdings = self._holdings
        parts = {name: self._without(part) for name, part in holdings.parts.items()}
        needed = needed_serials(holdings, self.lineage.contents)
        segments = {name: self._narrowed(segment, needed) for name, segment in holdings.segments.items()}
        changed = {}
        for number, manifest in holdings.manifests.items():
            new = manifest.model_copy(update={
                "parts": _mapped(manifest.parts, parts), "segments": _mapped(manifest.segments, segments),
            })
            if new != manifest:
                changed[number] = new.model_copy(update={"counts": self._counts(new)})
        return changed

    def _without(self, part: Part) -> FolderEntry | None:
        """A part without the document; the same one if it holds none of it, None if it holds nothing else."""
        leaving = [n for n, h in enumerate(part.headers) if (h.place, h.hash) in self.lineage.contents]
        if not leaving:
            return part.folder.entry
        entries = [part.entry(n) for n in range(len(part.headers)) if n not in set(leaving)]
        # What an older part holds at the place was hidden by what leaves now, and stays hidden.
        emptied = set(part.removed) | {part.headers[n].place for n in leaving}
        emptied -= self._places
        return write_part(self._files.parts, entries, emptied) if entries or emptied else None

    def _narrowed(self, segment: Segment, needed: NDArray[np.int64]) -> FolderEntry | None:
        """A segment with needed rows only; rows are copied bit by bit."""
        mask = np.isin(segment.serials, needed)
        if mask.all():
            return segment.folder.entry
        if not mask.any():
            return None
        nothing = NewRows(np.empty(0, np.int64), [], [], np.empty((0, segment.vectors.dimensions), np.float16))
        length = next(m.reference_length for m in self._holdings.manifests.values())     # no new row is weighed
        recipe = segment.graph.recipe if segment.graph is not None else None
        return write_segment(self._files.segments, [(segment, mask)], nothing, length, recipe)

    def _counts(self, manifest: Manifest) -> Counts:
        headers = self._files.open(manifest).headers
        broken = sum(header.state == "quarantined" for header in headers)
        return Counts(documents=len(headers), quarantined=broken, chunks=sum(header.chunks for header in headers))

    def _publish(self, changed: Mapping[int, Manifest]) -> int | None:
        """The current content under a new number. Raises Conflict if somebody published meanwhile."""
        current = self._holdings.current
        if current is None:
            return None
        row = self._versions.allocate(current)
        content = changed.get(current, self._holdings.manifests[current])
        try:
            renumbered = {"version": row.number, "parent": current, "created_at": row.created_at}
            manifest = content.model_copy(update=renumbered)
            self._files.write_manifest(manifest)
            self._lexical.prepare(self._files.open(manifest))
            self._versions.swap(current, row.number, despite_hold=True)
        except Conflict:
            with contextlib.suppress(VouchError):
                self._versions.abandon(row.number)
            raise
        return row.number

    def _named(self) -> dict[Path, set[str]]:
        """What kept versions name, in each folder of the index."""
        manifests = []
        for row in self._versions.rows():
            with contextlib.suppress(NotFound):
                manifests += [self._files.manifest(row.number)] if row.state == "published" else []
        return {
            self._files.parts: {entry.id for m in manifests for entry in m.parts},
            self._files.segments: {entry.id for m in manifests for entry in m.segments},
            self._files.versions: {str(m.version) for m in manifests},
        }

    def _delete(self) -> int:
        """Deletes every folder and file that no kept version names, however young, whoever reads it."""
        count = 0
        for folder, names in self._named().items():
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if _OURS.fullmatch(path.name) and path.name not in names:
                    count += 1
                    _remove(path)
            with disk_errors(folder):
                if folder.is_dir():
                    sync_folder(folder)
        for leftover in self._files.versions.glob(f"*/{MANIFEST}.*.tmp"):
            _remove(leftover)
        return count


def _mapped(entries: Iterable[FolderEntry], new: Mapping[str, FolderEntry | None]) -> tuple[FolderEntry, ...]:
    return tuple(entry for old in entries if (entry := new[old.id]) is not None)


def _remove(path: Path) -> None:
    with disk_errors(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
