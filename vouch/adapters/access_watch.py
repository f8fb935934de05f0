"""Keeps the ledger's rules equal to the access files, so that an edit counts from the next look on."""

import hashlib
import threading
from pathlib import Path
from typing import Any, Protocol

from vouch.access import Permissions, RuleBook
from vouch.adapters.access_files import read_rules


class RuleStore(Protocol):
    def set_rules(self, source: str, rules: RuleBook, digest: str) -> bool: ...

    def permissions(self) -> Permissions: ...


class SourceRows(Protocol):
    def list(self) -> list[Any]:
        """Rows with `name` and `access_path` (None: no rules, nobody reads)."""
        ...


class WatchedPermissions:
    """A PermissionStore that first looks at the access files of all sources.

    Size, mtime and inode are the shortcut. A file that is gone or cannot be
    understood becomes rules that grant nothing: a revocation is never missed
    because of a failure. Cost: one stat per source and call.
    """

    def __init__(self, sources: SourceRows, rules: RuleStore, *, watch: bool = True) -> None:
        self._sources = sources
        self._rules = rules
        self._watch = watch
        self._seen: dict[str, tuple[object, ...]] = {}
        self._lock = threading.Lock()

    def permissions(self) -> Permissions:
        if self._watch:
            self.refresh()
        return self._rules.permissions()

    def refresh(self) -> None:
        """Afterwards the ledger holds the rules as they stand in the files now."""
        with self._lock:
            for row in self._sources.list():
                path = Path(row.access_path) if row.access_path else None
                # Looked at again after each write: what was read may have been edited, and newer rules
                # of another process overwritten with it.
                while self._seen.get(row.name) != (state := _state(path)):
                    digest = _digest(path)
                    self._rules.set_rules(row.name, read_rules(path), digest)
                    self._seen[row.name] = state


def _state(path: Path | None) -> tuple[object, ...]:
    if path is None:
        return ("none",)
    try:
        found = path.stat()
    except OSError as error:
        return (str(path), "unreadable", error.errno)
    return (str(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _digest(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "unreadable"
