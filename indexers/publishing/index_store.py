"""The index of one home: whole versions, published one after the other, and one pointer to the current one."""

import contextlib
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from indexers.building.build import Published
from indexers.building.changes import Changes, Cursors, Vectors, check_changes, make_material, no_material
from indexers.parts.document_parts import Place
from indexers.publishing.optimistic_publish import (
    Gate,
    OptimisticPublish,
    PendingPublish,
    PublishQueue,
    abandoned_on_failure,
    swap,
)
from indexers.publishing.sweep import Keep, Swept, sweep
from indexers.search.engines import EmbeddedEngine, LexicalEngine
from indexers.storage import disk_errors
from indexers.versions.files import IndexFiles
from indexers.versions.version import OpenVersion, VersionDiff, difference
from indexers.versions.version_cache import VersionCache
from indexers.versions.version_locks import publishing
from vouch.access import Limits
from vouch.documents.document import DocumentRecord
from vouch.documents.manifest import Manifest
from vouch.errors import Damaged, NotFound, Usage
from vouch.ports.models import Analyser
from vouch.ports.stores import Restored, VersionStore
from vouch.retrieval.bm25 import K1, B

__all__ = ["Gate", "IndexStore", "Keep", "OpenVersion", "Published", "Swept", "VersionDiff"]

_SWEEP_EVERY_S = 3600


class IndexStore:
    """Publishes, opens, compares and sweeps versions. Safe to share between threads."""

    def __init__(
        self, home: Path, versions: VersionStore, analyser: Analyser, reference_length: float,
        keep: Keep | None = None, lexical: LexicalEngine | None = None,
    ) -> None:
        """`keep` says which versions a sweep lets stay; `lexical` where posting lists are searched besides."""
        self._files = IndexFiles(home)
        self._keep = keep or Keep()
        self._versions = versions
        self._analyser = analyser
        self._reference_length = reference_length
        self._opener = VersionCache(self._files, versions)
        self._lexical = lexical or EmbeddedEngine()
        self._race = OptimisticPublish(
            self._files, versions, PublishQueue(home), reference_length, self._opener.open, self._lexical
        )

    @property
    def versions(self) -> VersionStore:
        return self._versions

    @property
    def lexical(self) -> LexicalEngine:
        return self._lexical

    def fingerprints(self, encoder: str, chunker: str) -> dict[str, str]:
        """Everything the rows of a version depend on. Versions of other fingerprints must be built anew."""
        lexical = f"bm25 k1={K1} b={B} reference={self._reference_length}"
        return {"encoder": encoder, "chunker": chunker, "analyser": self._analyser.fingerprint, "lexical": lexical}

    def publish(
        self,
        base: OpenVersion | None,
        *,
        changed: Sequence[DocumentRecord],
        moved: Mapping[Place, str],
        removed: Sequence[Place],
        cursors: Cursors,
        fingerprints: Mapping[str, str],
        vectors: Vectors,
        parent: int | None = None,
        gate: Gate | None = None,
    ) -> Published:
        """A new current version: `base` (None: nothing) with documents changed, moved and removed.

        `moved` maps (source, new path) of a changed record to its old path.
        `cursors` are all cursors of the new version. `vectors` gives float16
        rows for the keys of new rows. `parent` is what the pointer must still
        be, if that is not `base`. Rows whose model input is unchanged are
        kept. If somebody published meanwhile, the same rows go on top of that
        version, without asking for a vector again; raises Conflict if it
        changed the same documents or sources, or if all is built anew. `gate`
        looks at the finished version before it is current; what it raises ends
        the publish. After any failure the current version is whole.
        """
        self._check_makers(base, fingerprints)
        changes = Changes(changed, moved, removed, cursors, fingerprints)
        check_changes(base, changes)
        material = make_material(base, changes, self._analyser, vectors)
        rebases = parent is None or (base is not None and base.number == parent)
        expected = self._opener.pointer(parent if parent is not None or base is None else base.number)
        return self._race.run(PendingPublish(base, expected, changes, material, rebases, gate=gate))

    def compact(self) -> Published | None:
        """A new current version of the same content in one segment and one part, without dead rows and texts.

        None if the current one is like that. Results are equal, bit for bit.
        Raises NotFound before the first version, Damaged, Usage, Conflict.
        """
        pointer = self._versions.current()
        if pointer is None:
            raise NotFound("there is no index yet", cure="vouch ingest; without a source, vouch source add first")
        base = self.open(pointer)
        if base.compact:
            return None
        manifest = base.manifest
        self._check_makers(base, manifest.fingerprints)
        changes = Changes([], {}, [], manifest.cursors, manifest.fingerprints)
        return self._race.run(PendingPublish(base, pointer, changes, no_material(), rebases=True, whole=True))

    def manifest(self, number: int) -> Manifest:
        """Raises NotFound, also for a retired version, or Damaged."""
        return self._opener.manifest(number)

    def open(self, number: int, *, documents_only: bool = False) -> OpenVersion:
        """The version, every file compared with its sha256 (once per process and state of the file).

        `documents_only` leaves the segments for later: each of their files is
        compared before its first use. No sweep takes the version away while
        somebody refers to it. Raises NotFound or Damaged.
        """
        return self._opener.open(number, documents_only=documents_only)

    def open_former(self, number: int) -> OpenVersion:
        """With all that was narrowed or went since hidden. Raises NotFound or Damaged."""
        return self._opener.open_former(number)

    def open_current(self, *, documents_only: bool = False) -> OpenVersion | None:
        """The current version, None before the first. If it is damaged, its nearest sound parent, loudly."""
        return self._opener.open_current(documents_only=documents_only)

    def standing_in_for(self, version: OpenVersion) -> int | None:
        """The damaged version in whose place `version` is served, None if it is itself the current one."""
        pointer = self._opener.pointer(version.number)
        return None if pointer == version.number else pointer

    def verify(self, number: int) -> list[str]:
        """What is wrong with a version, every file read anew; empty if it is sound. Raises NotFound."""
        try:
            problems = self._files.problems(self.manifest(number))
            return problems or self._lexical.problems(self.open(number))
        except Damaged as error:
            return [error.cause]

    def rollback(
        self, to: int, fingerprints: Mapping[str, str] | None = None, *, allow_widening: bool = False
    ) -> int:
        """The number of a new current version with exactly the content of `to`, cursors and hashes included.

        Its documents are limited as `limits` says, unless `allow_widening`.
        From the same moment on nothing is ingested over it until the hold is
        released. `fingerprints` are those in use now (default: the current
        version's). Raises Usage if `to` was made with others, Damaged,
        NotFound, Conflict.
        """
        with publishing(self._files.home):
            expected = self._versions.current()
            target = self._opener.earlier(to)               # held, so that no sweep takes it away
            self._check_same_makers(target.manifest, expected, fingerprints)
            limits = None if allow_widening else self._opener.limits(target, expected or to)
            row = self._versions.allocate(expected)
            with abandoned_on_failure(self._versions, row.number):
                changes = {"version": row.number, "parent": expected, "created_at": row.created_at}
                manifest = target.manifest.model_copy(update=changes)
                self._files.write_manifest(manifest)
                self._lexical.prepare(self._files.open(manifest))
            swap(self._versions, expected, row.number, Restored(target.number, limits), hold=True)
            return row.number

    def limits(self, to: int) -> dict[Place, Limits]:
        """What limits the documents of `to` after a rollback to it. Raises NotFound or Damaged.

        Each kept version counts that came after it, the current one also if it
        is damaged. Places that nothing limits are left out.
        """
        return self._opener.limits(self._opener.earlier(to, documents_only=True), self._versions.current() or to)

    def diff(self, older: int, newer: int) -> VersionDiff:
        """How the documents of two versions differ. Raises NotFound or Damaged."""
        return difference(self.open(older, documents_only=True), self.open(newer, documents_only=True))

    def catch_up(self) -> None:
        """The lexical engine has all of the current version, also if it is another engine than before."""
        self._lexical.catch_up(self.open_current)

    def sweep(self, *, dry_run: bool = False) -> Swept:
        """Retires versions that need not be kept and deletes what no version needs. Raises Damaged."""
        self._opener.forget()                               # what is open only to be found again is not in use
        return sweep(self._files, self._versions, self._keep, datetime.now(UTC), dry_run=dry_run, lexical=self._lexical)

    def sweep_if_due(self) -> Swept | None:
        """A sweep, unless the last one was less than an hour ago: it reads the manifest of every version."""
        stamp = self._files.home / "swept"
        with contextlib.suppress(FileNotFoundError):
            if 0 <= time.time() - stamp.stat().st_mtime < _SWEEP_EVERY_S:
                return None
        swept = self.sweep()
        if not swept.waiting:
            with disk_errors(stamp):
                stamp.touch()
        return swept

    def _check_same_makers(
        self, target: Manifest, current: int | None, fingerprints: Mapping[str, str] | None
    ) -> None:
        """Raises Usage if `target` has other fingerprints than those given, or than the current version."""
        if fingerprints is None and current is not None:
            with contextlib.suppress(Damaged, NotFound):
                fingerprints = self._files.manifest(current).fingerprints
        if fingerprints is not None and dict(fingerprints) != target.fingerprints:
            raise Usage(f"version {target.version} was made by another encoder, chunker or analyser",
                        cure="vouch rebuild builds the index again from its sources")

    def _check_makers(self, base: OpenVersion | None, fingerprints: Mapping[str, str]) -> None:
        """Raises Usage if rows of `base` could not stand beside rows made now."""
        if fingerprints.get("analyser", self._analyser.fingerprint) != self._analyser.fingerprint:
            raise Usage("the analyser named is not the one in use", cure="name its fingerprint")
        if base is None:
            return
        other_length = base.manifest.reference_length != self._reference_length
        if other_length or dict(base.manifest.fingerprints) != dict(fingerprints):
            raise Usage("the index was made with another encoder, chunker, analyser or reference length",
                        cure="vouch rebuild builds it again")
