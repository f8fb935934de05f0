"""The index of one home: whole versions, published one after the other, and one pointer to the current one."""

import contextlib
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import RLock

from indexers.build import Published
from indexers.changes import Changes, Cursors, Vectors, check_changes, make_material, no_material
from indexers.difference import VersionDiff, difference
from indexers.files import IndexFiles
from indexers.parts import Place
from indexers.postings import K1, B
from indexers.race import Entrant, Race, abandoned_on_failure, swap
from indexers.sweep import sweep
from indexers.turns import Turns
from indexers.version import OpenVersion
from vouch.documents.document import DocumentRecord
from vouch.documents.manifest import Manifest
from vouch.errors import Damaged, NotFound, Usage
from vouch.ports import Analyser, VersionStore

__all__ = ["IndexStore", "OpenVersion", "Published", "VersionDiff"]

_LOGGER = logging.getLogger("vouch.indexers")
_KEPT_OPEN = 4


class IndexStore:
    """Publishes, opens, compares and sweeps versions. Safe to share between threads."""

    def __init__(self, home: Path, versions: VersionStore, analyser: Analyser, reference_length: float) -> None:
        self._files = IndexFiles(home)
        self._versions = versions
        self._analyser = analyser
        self._reference_length = reference_length
        self._lock = RLock()
        self._race = Race(self._files, versions, Turns(home), reference_length, self.open)
        self._open: dict[int, OpenVersion] = {}
        self._standing_in: dict[int, int] = {}      # served version → damaged current one

    @property
    def versions(self) -> VersionStore:
        return self._versions

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
    ) -> Published:
        """A new current version: `base` (None: nothing) with documents changed, moved and removed.

        `moved` maps (source, new path) of a changed record to its old path.
        `cursors` are all cursors of the new version. `vectors` gives float16
        rows for the keys of new rows. `parent` is what the pointer must still
        be, if that is not `base`. Rows whose model input is unchanged are
        kept. If somebody published meanwhile, the same rows go on top of that
        version, without asking for a vector again; raises Conflict if it
        changed the same documents or sources, or if all is built anew. After
        any failure the current version is whole.
        """
        self._check_makers(base, fingerprints)
        changes = Changes(changed, moved, removed, cursors, fingerprints)
        check_changes(base, changes)
        material = make_material(base, changes, self._analyser, vectors)
        rebases = parent is None or (base is not None and base.number == parent)
        expected = self._pointer(parent if parent is not None or base is None else base.number)
        return self._race.run(Entrant(base, expected, changes, material, rebases))

    def compact(self) -> Published | None:
        """A new current version of the same content in one segment and one part, without dead rows and texts.

        None if the current one is like that. Results are equal, bit for bit.
        Raises NotFound before the first version, Damaged, Usage, Conflict.
        """
        pointer = self._versions.current()
        if pointer is None:
            raise NotFound("there is no index yet", cure="vouch ingest makes one")
        base = self.open(pointer)
        if base.compact:
            return None
        manifest = base.manifest
        self._check_makers(base, manifest.fingerprints)
        changes = Changes([], {}, [], manifest.cursors, manifest.fingerprints)
        return self._race.run(Entrant(base, pointer, changes, no_material(), rebases=True, whole=True))

    def manifest(self, number: int) -> Manifest:
        """Raises NotFound or Damaged."""
        return self._files.manifest(number)

    def open(self, number: int, *, documents_only: bool = False) -> OpenVersion:
        """The version, every file compared with its sha256 (once per process and state of the file).

        `documents_only` leaves the segments for later: each of their files is
        compared before its first use. Raises NotFound or Damaged.
        """
        manifest = self._files.manifest(number)
        with self._lock:
            version = self._open.pop(number, None)
            if version is None or version.manifest != manifest:
                version = self._files.open(manifest)
            try:
                version.check(documents_only=documents_only)
            except Damaged:
                self._files.forget(manifest)
                raise
            self._open[number] = version
            while len(self._open) > _KEPT_OPEN:
                self._open.pop(next(iter(self._open)))
        return version

    def open_current(self, *, documents_only: bool = False) -> OpenVersion | None:
        """The current version, None before the first. If it is damaged, its nearest sound parent, loudly."""
        pointer = self._versions.current()
        if pointer is None:
            return None
        try:
            return self.open(pointer, documents_only=documents_only)
        except (Damaged, NotFound) as error:
            _LOGGER.error("version %d is damaged: %s", pointer, error)
            damage = error
        for number in self._ancestors(pointer):
            with contextlib.suppress(Damaged, NotFound):
                version = self.open(number, documents_only=documents_only)
                _LOGGER.error("version %d is served in place of %d; vouch versions rollback %d makes it current",
                              number, pointer, number)
                self._standing_in[number] = pointer
                return version
        raise Damaged(f"version {pointer} is damaged and no earlier one is sound: {damage.cause}",
                      cure="restore the home folder, or empty it and ingest again")

    def verify(self, number: int) -> list[str]:
        """What is wrong with a version, every file read anew; empty if it is sound. Raises NotFound."""
        try:
            return self._files.problems(self._files.manifest(number))
        except Damaged as error:
            return [error.cause]

    def rollback(self, to: int, fingerprints: Mapping[str, str] | None = None) -> int:
        """The number of a new current version with exactly the content of `to`, cursors and hashes included.

        `fingerprints` are those in use now (default: the current version's).
        Raises Usage if `to` was made with others, Damaged, NotFound, Conflict.
        """
        expected = self._versions.current()
        target = self.open(to).manifest
        if fingerprints is None and expected is not None:
            with contextlib.suppress(Damaged, NotFound):
                fingerprints = self._files.manifest(expected).fingerprints
        if fingerprints is not None and dict(fingerprints) != target.fingerprints:
            raise Usage(f"version {to} was made by another encoder, chunker or analyser", cure="ingest anew instead")
        row = self._versions.allocate(expected)
        with abandoned_on_failure(self._versions, row.number):
            changes = {"version": row.number, "parent": expected, "created_at": row.created_at}
            self._files.write_manifest(target.model_copy(update=changes))
        swap(self._versions, expected, row.number)
        return row.number

    def diff(self, older: int, newer: int) -> VersionDiff:
        """How the documents of two versions differ. Raises NotFound or Damaged."""
        return difference(self.open(older, documents_only=True), self.open(newer, documents_only=True))

    def sweep(self, grace_seconds: float) -> list[str]:
        """Deletes leftovers older than the grace time, which must exceed the longest publish; says which."""
        return sweep(self._files, self._versions, time.time() - grace_seconds)

    def _pointer(self, served: int | None) -> int | None:
        """Where the pointer is while `served` is served: there, or at the damaged version it stands in for."""
        return self._standing_in.get(served, served) if served is not None else None

    def _check_makers(self, base: OpenVersion | None, fingerprints: Mapping[str, str]) -> None:
        """Raises Usage if rows of `base` could not stand beside rows made now."""
        if fingerprints.get("analyser", self._analyser.fingerprint) != self._analyser.fingerprint:
            raise Usage("the analyser named is not the one in use", cure="name its fingerprint")
        if base is None:
            return
        other_length = base.manifest.reference_length != self._reference_length
        if other_length or dict(base.manifest.fingerprints) != dict(fingerprints):
            raise Usage("the index was made with another encoder, chunker, analyser or reference length",
                        cure="build it anew")

    def _ancestors(self, number: int) -> list[int]:
        """Published versions to fall back to: parents first, then all older ones, newest first."""
        parents = {row.number: row.parent for row in self._versions.rows() if row.state == "published"}
        chain: list[int] = []
        at = parents.get(number)
        while at is not None and at not in chain:
            chain.append(at)
            at = parents.get(at)
        return chain + [n for n in sorted(parents, reverse=True) if n < number and n not in chain]
