"""The files of the index under one home: where they are, and how a version is opened from them.

HOME/segments/ID/   index rows: serials, keys, posting lists, vectors
HOME/parts/ID/      documents: headers, facts, texts, chunk ids
HOME/versions/N/    manifest.json, which names both with sha256 per file
"""

import contextlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from weakref import WeakValueDictionary

from indexers.parts.document_parts import Part, Place
from indexers.segments.segment import Segment
from indexers.storage import Checksums, Folder, disk_errors, make_folder, replace_file
from indexers.versions.version import OpenVersion
from indexers.versions.version_locks import MANIFEST, pin_version
from vouch.access import Limits
from vouch.documents.manifest import FolderEntry, Manifest, seal, unseal
from vouch.errors import Damaged, NotFound, Usage

ONE_LEDGER = "a home belongs to one ledger: check VOUCH_HOME and VOUCH_LEDGER__URL; if it was restored, run this again"


class IndexFiles:
    """Versions opened from one home share their segments, parts and compared checksums."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.segments = home / "segments"
        self.parts = home / "parts"
        self.versions = home / "versions"
        self._checksums = Checksums()
        self._segments: WeakValueDictionary[str, Segment] = WeakValueDictionary()
        self._parts: WeakValueDictionary[str, Part] = WeakValueDictionary()

    def folder(self, number: int) -> Path:
        """Where the manifest of a version lies."""
        return self.versions / str(number)

    def manifest(self, number: int) -> Manifest:
        """Raises NotFound if there is none, Damaged if it is not what was written."""
        path = self.folder(number) / MANIFEST
        try:
            manifest = unseal(path.read_bytes(), str(path))
        except FileNotFoundError as error:
            raise NotFound(f"there is no version {number} on the disk", cure="see vouch versions list") from error
        except OSError as error:
            raise Damaged(f"{path} cannot be read: {error.strerror}") from error
        if manifest.version != number:
            raise Damaged(f"{path} is the manifest of version {manifest.version}")
        return manifest

    def others(self, number: int, created_at: datetime) -> bool:
        """Whether a manifest of that number lies here that was begun at another moment: it is another ledger's.

        Raises Damaged if that cannot be told.
        """
        with contextlib.suppress(NotFound):
            return self.manifest(number).created_at != created_at
        return False

    def write_manifest(self, manifest: Manifest) -> None:
        """Raises Usage rather than overwrite a version of another ledger."""
        folder = self.folder(manifest.version)
        if self.others(manifest.version, manifest.created_at):
            raise Usage(f"{folder} was written with another ledger, or before this one was restored", cure=ONE_LEDGER)
        with disk_errors(folder):
            make_folder(folder)
            replace_file(folder / MANIFEST, seal(manifest))

    def open(self, manifest: Manifest, limits: Mapping[Place, Limits] | None = None) -> OpenVersion:
        """The version, its files neither read nor compared yet; each is compared before it is read.

        With `limits` it stands in for a damaged one. No sweep deletes any of
        them while it is open. Raises NotFound if one did so before.
        """
        pin = pin_version(self.folder(manifest.version))
        parts = [self._part(entry) for entry in manifest.parts]
        return OpenVersion(manifest, parts, [self._segment(entry) for entry in manifest.segments], pin, limits)

    def forget(self, manifest: Manifest) -> None:
        """The folders of a damaged version are opened anew next time: they may have been restored."""
        for entry in manifest.segments:
            self._segments.pop(entry.id, None)
        for entry in manifest.parts:
            self._parts.pop(entry.id, None)

    def problems(self, manifest: Manifest) -> list[str]:
        """Everything that is wrong with the files of a version, each compared anew. Raises NotFound if it was swept."""
        version = self.open(manifest)
        fresh = Checksums()
        causes = []
        for folder, entries in ((self.segments, manifest.segments), (self.parts, manifest.parts)):
            for entry in entries:
                for file in entry.files:
                    try:
                        fresh.check(folder / entry.id, file)
                    except Damaged as error:
                        causes.append(error.cause)
        if not causes:
            try:
                version.check()
                version.open_engines()
            except Damaged as error:
                causes.append(error.cause)
        return causes

    def _segment(self, entry: FolderEntry) -> Segment:
        segment = self._segments.get(entry.id)
        if segment is None or segment.folder.entry != entry:
            segment = self._segments[entry.id] = Segment(Folder(self.segments / entry.id, entry, self._checksums))
        return segment

    def _part(self, entry: FolderEntry) -> Part:
        part = self._parts.get(entry.id)
        if part is None or part.folder.entry != entry:
            part = self._parts[entry.id] = Part(Folder(self.parts / entry.id, entry, self._checksums))
        return part
