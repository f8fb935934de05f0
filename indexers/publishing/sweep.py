"""Retires versions that are old and not in use, and deletes every file that no version needs.

The order makes a kill harmless at any point: a version is retired in the
ledger, then its manifest goes, and only then what no manifest names any more.
So whoever finds a manifest finds all that it names.
"""

import contextlib
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from indexers.search.engines import EmbeddedEngine, LexicalEngine
from indexers.storage import disk_errors, sync_folder
from indexers.versions.files import IndexFiles
from indexers.versions.version_locks import MANIFEST, nobody_publishes, unpinned
from vouch.errors import Damaged, NotFound
from vouch.ports.stores import VersionRow, VersionStore

_OURS = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Keep:
    """A published version is kept that is one of the newest `versions`, younger than `days`, current, or open."""

    versions: int = 20
    days: float = 7.0


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did, or a dry run would do.

    `pinned` versions would have been retired if nobody had them open.
    `waiting`: nothing was done because a publish or another sweep is under way.
    """

    retired: tuple[int, ...] = ()
    pinned: tuple[int, ...] = ()
    deleted: tuple[str, ...] = ()       # folders below the home
    bytes: int = 0
    waiting: bool = False
    rows: int = 0                       # on a server that searches posting lists


def sweep(
    files: IndexFiles, versions: VersionStore, keep: Keep, now: datetime, *, dry_run: bool = False,
    lexical: LexicalEngine | None = None,
) -> Swept:
    """Retires and deletes. What a published version that stays or an open one names is not touched.

    Folders that are not vouch's are left alone. Raises Damaged, and deletes
    nothing, if the manifest of a version that stays cannot be read, for then
    nobody knows what it needs.
    """
    with nobody_publishes(files.home) as quiet:
        if not quiet:
            return Swept(waiting=True)
        rows = versions.rows()
        with disk_errors(files.home):
            old = outdated(rows, versions.current(), keep, now)
            return _Sweep(files, versions, lexical or EmbeddedEngine(), dry_run).run(rows, old)


def outdated(rows: Iterable[VersionRow], current: int | None, keep: Keep, now: datetime) -> list[int]:
    """Published versions that need not be kept, whether open or not. One made in the future is young."""
    published = sorted((row for row in rows if row.state == "published"), key=lambda row: row.number)
    since = now - timedelta(days=keep.days)
    return [row.number for row in published[: -keep.versions] if row.created_at < since and row.number != current]


@dataclass
class _Sweep:
    """One sweep, while nobody publishes: a version still being built was left behind by a publish that was killed."""

    files: IndexFiles
    versions: VersionStore
    lexical: LexicalEngine
    dry_run: bool
    deleted: list[str] = field(default_factory=list)
    bytes: int = 0

    def run(self, rows: Sequence[VersionRow], old: Sequence[int]) -> Swept:
        """`old` are the published versions among `rows` that may be retired."""
        due = set(old)
        going = {row.number: row.state for row in rows
                 if (row.number in due or row.state != "published") and not self._others(row)}
        staying = {row.number for row in rows} | set(self._there())
        needed = self._named(staying - going.keys())
        pinned = [number for number, state in going.items() if not self._gave_up(number, state)]
        needed |= self._named(set(pinned) & set(self._there()))
        if self.deleted and not self.dry_run:
            sync_folder(self.files.versions)            # before what they named goes
        for folder in (self.files.segments, self.files.parts):
            self._delete_unless(needed, folder)
        rows_deleted = self.lexical.sweep(needed, dry_run=self.dry_run)
        retired = tuple(sorted(due - set(pinned)))
        return Swept(retired, tuple(pinned), tuple(self.deleted), self.bytes, rows=rows_deleted)

    def _others(self, row: VersionRow) -> bool:
        """Whether what lies there under its number is another ledger's, and stays."""
        with contextlib.suppress(Damaged):
            return self.files.others(row.number, row.created_at)
        return False

    def _gave_up(self, number: int, state: str) -> bool:
        """The version can never be opened again. False if somebody has it open: then nothing changed."""
        folder = self.files.folder(number)
        if not folder.is_dir():
            self._tell(number, state)
            return True
        with unpinned(folder) as free:
            if free:
                self._tell(number, state)
                self._delete(folder)
            return free

    def _tell(self, number: int, state: str) -> None:
        """Tells the ledger, unless it knows."""
        if state == "published" and not self.dry_run:
            self.versions.retire(number)
        if state == "building" and not self.dry_run:
            self.versions.abandon(number)

    def _there(self) -> Iterator[int]:
        """Versions whose folder is there, also those the ledger does not know."""
        for folder in _folders(self.files.versions):
            if folder.name.isdecimal() and (folder / MANIFEST).exists():
                yield int(folder.name)

    def _named(self, numbers: Iterable[int]) -> set[str]:
        """The folders that the versions name. Raises Damaged if one cannot be read."""
        named: set[str] = set()
        for number in sorted(numbers):
            try:
                manifest = self.files.manifest(number)
            except (NotFound, Damaged) as error:
                raise Damaged(f"{error.cause}, so nothing was swept", cure="restore it") from error
            named |= {entry.id for entry in (*manifest.segments, *manifest.parts)}
        return named

    def _delete_unless(self, needed: set[str], place: Path) -> None:
        for folder in _folders(place):
            if _OURS.fullmatch(folder.name) and folder.name not in needed:
                self._delete(folder)

    def _delete(self, folder: Path) -> None:
        self.bytes += sum(path.stat().st_size for path in folder.iterdir())
        self.deleted.append(f"{folder.parent.name}/{folder.name}")
        if not self.dry_run:
            shutil.rmtree(folder)


def _folders(place: Path) -> list[Path]:
    return sorted(path for path in place.iterdir() if path.is_dir() and not path.is_symlink()) if place.is_dir() else []
