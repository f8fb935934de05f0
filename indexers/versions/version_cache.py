"""Opening versions: the current one, or in place of a damaged one its nearest sound parent."""

import contextlib
import logging
from threading import RLock

from indexers.parts.document_parts import Place
from indexers.versions.files import IndexFiles
from indexers.versions.limits import Found, can_be_read, limits_of, newest_retired
from indexers.versions.version import OpenVersion
from vouch.access import Limits
from vouch.documents.manifest import Manifest
from vouch.errors import Damaged, NotFound
from vouch.ports.stores import VersionStore

LEFT = "vouch versions list shows what is left"
_LOGGER = logging.getLogger("vouch.indexers")
_KEPT_OPEN = 4
_NAMED = 5


class VersionCache:
    """Remembers what was opened last. Safe to share between threads."""

    def __init__(self, files: IndexFiles, versions: VersionStore) -> None:
        self._files = files
        self._versions = versions
        self._lock = RLock()
        self._open: dict[int, OpenVersion] = {}
        self._standing_in: dict[int, int] = {}      # served version → damaged current one
        self._found: tuple[int, int, Found] | None = None   # served, current, the limits

    def manifest(self, number: int) -> Manifest:
        """Raises NotFound or Damaged."""
        try:
            return self._files.manifest(number)
        except NotFound as error:
            if self.state(number) != "retired":
                raise
            raise NotFound(f"version {number} is retired: its files are deleted", cure=LEFT) from error

    def open(self, number: int, *, documents_only: bool = False) -> OpenVersion:
        """The version, every file compared with its sha256 (once per process and state of the file).

        `documents_only` leaves the segments for later: each of their files is
        compared before its first use. Raises NotFound or Damaged. No sweep
        takes it away while somebody holds it.
        """
        manifest = self.manifest(number)
        with self._lock:
            version = self._open.pop(number, None)
            if version is None or version.manifest != manifest:
                version = self._files.open(manifest)
                self._let_go_of_deleted()
            try:
                version.check(documents_only=documents_only)
            except Damaged:
                self._files.forget(manifest)
                raise
            self._open[number] = version
            while len(self._open) > _KEPT_OPEN:
                self._open.pop(next(iter(self._open)))
        return version

    def open_former(self, number: int) -> OpenVersion:
        """The version as it would be served in place of the current one: what was narrowed or went since is hidden.

        Raises Damaged, and NotFound as `earlier` does.
        """
        version, current = self.earlier(number), self._versions.current()
        if current is None or current == number:
            return version
        return self._files.open(version.manifest, self.limits(version, current))

    def open_current(self, *, documents_only: bool = False) -> OpenVersion | None:
        """The current version, None before the first. If it is damaged, its nearest sound parent, loudly."""
        pointer = self._versions.current()
        if pointer is None:
            return None
        try:
            return self.open(pointer, documents_only=documents_only)
        except (Damaged, NotFound) as error:
            if self._versions.current() != pointer:         # perhaps it was swept since it was looked up
                return self.open_current(documents_only=documents_only)
            _LOGGER.error("version %d is damaged: %s", pointer, error)
            damage = error
        for number in self._ancestors(pointer):
            with contextlib.suppress(Damaged, NotFound):
                version = self._stand_in(self.open(number, documents_only=documents_only), pointer)
                if number < newest_retired(self._versions.rows()):      # a sweep went by since
                    continue
                self._standing_in[number] = pointer
                return version
        raise Damaged(f"version {pointer} is damaged and no earlier one is sound: {damage.cause}",
                      cure="vouch rebuild builds it again from the sources, if this is the VOUCH_HOME of that ledger")

    def limits(self, target: OpenVersion, current: int) -> dict[Place, Limits]:
        """What limits the documents of `target` if they are served while `current` is the current version.

        Remembered until the pointer moves, or what could not be read is
        restored: what is swept or damaged meanwhile cannot allow more.
        """
        with self._lock:
            if self._found is not None and self._found[:2] == (target.number, current):
                version_limits = self._found[2]
                if not any(can_be_read(self._files, number) for number in version_limits.unread):
                    return dict(version_limits.limits)
            version_limits = limits_of(self._files, self._versions.rows(), target, current, self._versions.former_rules)
            self._found = (target.number, current, version_limits)
            return dict(version_limits.limits)

    def _stand_in(self, version: OpenVersion, pointer: int) -> OpenVersion:
        """The version in place of the damaged one: what that hid since, and what nobody can tell of, is hidden."""
        limits = self.limits(version, pointer)
        _LOGGER.error("version %d is served in place of %d; vouch ingest makes a sound one", version.number, pointer)
        if limits:
            names = ", ".join(":".join(place) for place in sorted(limits)[:_NAMED])
            _LOGGER.error("%d documents of it are hidden, or shown to fewer readers, because they moved, were narrowed "
                          "or went since, or because that cannot be told: %s%s", len(limits), names,
                          ", ..." if len(limits) > _NAMED else "")
        return self._files.open(version.manifest, limits)

    def _let_go_of_deleted(self) -> None:
        """A purge deletes files under their readers; the disk has them back only when nobody holds them open."""
        for number, version in list(self._open.items()):
            if not version.on_disk:
                del self._open[number]

    def forget(self) -> None:
        """Nothing stays open that nobody else refers to."""
        with self._lock:
            self._open.clear()

    def pointer(self, served: int | None) -> int | None:
        """Where the pointer is while `served` is served: there, or at the damaged version it stands in for."""
        return self._standing_in.get(served, served) if served is not None else None

    def state(self, number: int) -> str | None:
        """What the ledger calls the version, None for a number never given."""
        return next((row.state for row in self._versions.rows() if row.number == number), None)

    def earlier(self, number: int, *, documents_only: bool = False) -> OpenVersion:
        """A version that may be served again. Raises NotFound for one that is retired, or older than one that is.

        Such a one is there because somebody has it open still. What the retired ones took back nobody can tell, and a
        later rollback may have brought it back hidden, at another place than where this version has it.
        """
        state, retired = self.state(number), newest_retired(self._versions.rows())
        if state not in ("published", None):
            raise NotFound(f"version {number} is {state}: there is nothing to go back to", cure=LEFT)
        if number < retired:
            raise NotFound(f"version {number} is older than {retired}, which is retired: what that took back from "
                           "readers cannot be told any more", cure=LEFT)
        return self.open(number, documents_only=documents_only)

    def _ancestors(self, number: int) -> list[int]:
        """Versions to fall back to, of those that may be served again: parents first, then all older ones."""
        rows = self._versions.rows()
        retired = newest_retired(rows)
        rows = [row for row in rows if row.state == "published" and row.number > retired]
        parents = {row.number: row.parent for row in rows}
        chain: list[int] = []
        at = parents.get(number)
        while at in parents and at not in chain:
            chain.append(at)
            at = parents.get(at)
        return chain + [n for n in sorted(parents, reverse=True) if n < number and n not in chain]
