"""Keeps the ledger's rules equal to the access files, so that an edit counts from the next look on."""

import logging
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from vouch.access import Permissions, RuleBook
from vouch.adapters.access.files import read_rules_and_digest

_log = logging.getLogger(__name__)
_TICK_NS = 100_000_000                  # longer than any file system's clock takes to move on


class RuleStore(Protocol):
    def set_rules(self, source: str, rules: RuleBook, digest: str) -> bool: ...

    def permissions(self) -> Permissions: ...


class SourceRows(Protocol):
    def list(self) -> list[Any]:
        """Rows with `name` and `access_path` (None: no rules, nobody reads)."""
        ...


class _Agreed(NamedTuple):
    """The sources and rules of this epoch are those that this process read."""

    epoch: int
    files: Mapping[str, Path | None]


class WatchedPermissions:
    """A PermissionStore that first looks at the access files of all sources.

    Size, times and inode are the shortcut, and none for a file that was
    written a moment ago: it may be written again in the same tick. A file that is gone or cannot be
    understood becomes rules that grant nothing: a revocation is never missed
    because of a failure, and one source's failure stops no other source.
    Rules in force that are not those this process read last came from
    another one, whose look may have failed: then it reads its file again. Cost: one stat per source and call.
    """

    def __init__(self, sources: SourceRows, rules: RuleStore, *, watch: bool = True) -> None:
        self._sources = sources
        self._rules = rules
        self._watch = watch
        self._seen: dict[str, tuple[object, ...]] = {}
        self._read: dict[str, RuleBook] = {}
        self._agreed: _Agreed | None = None
        self._lock = threading.Lock()

    def permissions(self) -> Permissions:
        if not self._watch:
            return self._rules.permissions()
        agreed = self._agreed
        # Files first: an edit of before this call is seen there, or is in force by the time the rules are looked up.
        if agreed is not None and all(self._seen.get(name) == _state(path) for name, path in agreed.files.items()):
            current = self._rules.permissions()
            if current.epoch == agreed.epoch:
                return current
        return self._looked()

    def refresh(self) -> None:
        """Afterwards the ledger holds the rules as they stand in the files now."""
        self._read_files()

    def _looked(self) -> Permissions:
        before = self._rules.permissions().epoch
        files = self._read_files()
        current = self._rules.permissions()
        if self._strange(current):
            self._read_files()
            return self._rules.permissions()
        if current.epoch == before:             # then no other sources were added meanwhile
            self._agreed = _Agreed(before, files)
        return current

    def _read_files(self) -> Mapping[str, Path | None]:
        """The access file of each source, read again if it may have changed."""
        files = {}
        with self._lock:
            for row in self._sources.list():
                path = files[row.name] = Path(row.access_path) if row.access_path else None
                # Looked at again after each write: what was read may have been edited, and newer rules
                # of another process overwritten with it.
                while self._seen.get(row.name) != (state := _state(path)):
                    book = self._put_in_force(row.name, path)
                    self._seen[row.name], self._read[row.name] = state, book
                if _just_written(state):
                    del self._seen[row.name]
        return files

    def _put_in_force(self, name: str, path: Path | None) -> RuleBook:
        """What the ledger then holds: the rules in the file, or none if they are such as no ledger takes."""
        book, digest = read_rules_and_digest(path)
        try:
            self._rules.set_rules(name, book, digest)
        except (ValueError, TypeError, RecursionError) as error:    # a ledger that is down says so, and stops it all
            _log.exception("the rules of %s cannot be stored", name)
            book = RuleBook(broken=f"{path}: cannot be stored ({type(error).__name__})")
            self._rules.set_rules(name, book, digest)
        return book

    def _strange(self, found: Permissions) -> list[str]:
        """Sources whose rules in force this process did not read; it looks at their files again."""
        with self._lock:
            strange = [name for name, book in self._read.items() if found.rulebooks.get(name, book) != book]
            for name in strange:
                self._seen.pop(name, None)
                _log.info("the rules in force for %s are another process's: its access file is read again", name)
        return strange


def _state(path: Path | None) -> tuple[object, ...]:
    if path is None:
        return ("none",)
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        return (str(path), "unreadable", getattr(error, "errno", None))
    return (str(path), found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns)


def _just_written(state: tuple[object, ...]) -> bool:
    changed = state[-1]
    return isinstance(changed, int) and len(state) == 5 and abs(time.time_ns() - changed) < _TICK_NS
