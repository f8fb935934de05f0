"""A folder of documents. Size and times are the shortcut; the content hash decides."""

import errno
import hashlib
import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from vouch.adapters.parsers.registry import unread_kind
from vouch.adapters.regular_file import NotRegular, read_blocks
from vouch.adapters.sources.walk import Listing, Seen, blame, list_folder, look, open_below, open_root
from vouch.documents.document import Change, Content, Operation, Skipped
from vouch.errors import Unavailable, Unreadable
from vouch.ports import Scan

ACCESS_FILE = "access.yaml"
NO_HASH = hashlib.sha256(b"vouch: the bytes could not be read").hexdigest()
_RACY_NS = 2_000_000_000    # a file written this shortly before we looked may be written again at the same moment

StatRow = tuple[int, int, str]


class StatCache(Protocol):
    """Remembers path → (size, moment in ns, sha256) of a source's files. Losing it costs time only."""

    def get(self, source: str) -> Mapping[str, StatRow]: ...

    def put(self, source: str, rows: Mapping[str, StatRow]) -> None:
        """Replaces all rows of the source."""
        ...


class FolderSource:
    """The documents below `root`, each at its path relative to it, written as on disk."""

    def __init__(self, name: str, root: Path, stat_cache: StatCache, max_bytes: int) -> None:
        self._name = name
        self._root = root
        self._cache = stat_cache
        self._max_bytes = max_bytes

    @property
    def name(self) -> str:
        return self._name

    def scan(
        self, known: Mapping[str, str], cursor: Mapping[str, Any], *, step: int | None = None, until: int | None = None
    ) -> Scan:
        """See Source. While steps of one run are left, the cursor counts what `until` has used up."""
        with open_root(self._root) as root:
            listing = list_folder(root)
            if not listing.entries or "" in listing.closed:
                reason = listing.closed.get("", "is empty")
                cure = "an unmounted folder looks like this; remove the source if its documents are to go"
                raise Unavailable(f"{self._root}: {reason}", cure=cure)
            documents, skipped = _sort(listing)
            found = self._changes(known, self._states(root, documents, listing, known), documents)
        given = int(cursor.get("given", 0)) if until is not None else 0
        allowed = len(found) if until is None else min(len(found), max(until - given, 0))
        taken = allowed if step is None else min(step, allowed)
        more = taken < allowed
        touched = {path for change in found[:taken] for path in (change.path, change.old_path)}
        unchanged = sum(path not in touched for path in known)
        next_cursor = {"given": given + taken} if more and until is not None else {}
        return Scan(tuple(found[:taken]), skipped, next_cursor, unchanged, more)

    def read(self, paths: Sequence[str]) -> Scan:
        """See Source. A named path where no document stands is a removal."""
        changes: list[Change] = []
        skipped: list[Skipped] = []
        with open_root(self._root) as root:
            for path in sorted(set(paths)):
                reason = _unfit(path)
                if reason:
                    skipped.append(Skipped(path, reason))
                    continue
                try:
                    with open_below(root, path) as handle:
                        seen = look(os.fstat(handle))
                        changes.append(_upsert(path, _digest(handle), seen))
                except (FileNotFoundError, NotADirectoryError):
                    changes.append(Change("remove", path))
                except OSError as error:
                    skipped.append(Skipped(path, blame(error, path)))
                    refused = isinstance(error, NotRegular) or error.errno == errno.ELOOP
                    changes.append(Change("remove", path) if refused else Change("upsert", path, NO_HASH))
        return Scan(tuple(changes), tuple(skipped), {}, 0, False)

    def load(self, change: Change) -> Content:
        with open_root(self._root) as root:
            try:
                with open_below(root, change.path) as handle:
                    seen = look(os.fstat(handle))
                    data = b"".join(read_blocks(handle, self._max_bytes + 1))
            except OSError as error:
                cure = "let vouch read it; it is tried again when it changes"
                raise Unreadable(blame(error, change.path), cure=cure) from error
        if len(data) > self._max_bytes:
            raise Unreadable(f"is larger than {self._max_bytes:,} bytes", cure="split it")
        return Content(change.path, data, hashlib.sha256(data).hexdigest(), _moment(seen))

    def _states(
        self, root: int, documents: Mapping[str, Seen], listing: Listing, known: Mapping[str, str]
    ) -> dict[str, str]:
        """Path → content hash of what stands in the folder. What cannot be read is there all the same."""
        remembered = self._cache.get(self._name)
        fresh: dict[str, StatRow] = {}
        states: dict[str, str] = {}
        for path, seen in documents.items():
            row = remembered.get(path)
            if row is not None and tuple(row[:2]) == (seen.size, seen.moment):
                states[path], fresh[path] = row[2], (row[0], row[1], row[2])
                continue
            began = time.time_ns()
            try:
                with open_below(root, path) as handle:
                    before = look(os.fstat(handle))
                    digest = _digest(handle)
                    if before == look(os.fstat(handle)) and before.moment < began - _RACY_NS:
                        fresh[path] = (before.size, before.moment, digest)
                states[path] = digest
            except FileNotFoundError:
                continue
            except OSError as error:
                blame(error, path)
                states[path] = NO_HASH
        for path in known:
            if any(path.startswith(f"{folder}/") for folder in listing.closed):
                states[path] = NO_HASH
        if fresh != dict(remembered):
            self._cache.put(self._name, fresh)
        return states

    def _changes(
        self, known: Mapping[str, str], states: Mapping[str, str], documents: Mapping[str, Seen]
    ) -> list[Change]:
        gone = [path for path in sorted(known) if path not in states]
        old_paths = _pair(known, gone, {p: h for p, h in states.items() if p not in known})
        moved = set(old_paths.values())
        changes = [Change("remove", path) for path in gone if path not in moved]
        for path, digest in states.items():
            if known.get(path) != digest:
                changes.append(_upsert(path, digest, documents.get(path), old_paths.get(path)))
        return sorted(changes, key=lambda change: change.path)


def _pair(known: Mapping[str, str], gone: Sequence[str], new: Mapping[str, str]) -> dict[str, str]:
    """New path → the gone path it was, where the bytes are equal; several of the same are paired in order."""
    homeless: dict[str, list[str]] = defaultdict(list)
    for path in gone:
        if known[path] != NO_HASH:
            homeless[known[path]].append(path)
    pairs: dict[str, str] = {}
    for path in sorted(new):
        if homeless[new[path]]:
            pairs[path] = homeless[new[path]].pop(0)
    return pairs


def _sort(listing: Listing) -> tuple[dict[str, Seen], tuple[Skipped, ...]]:
    reasons = {**listing.refused, **listing.closed}
    documents = {}
    for path, seen in listing.files.items():
        if path == ACCESS_FILE:
            continue
        reason = unread_kind(path)
        if reason:
            reasons[path] = reason
        else:
            documents[path] = seen
    return documents, tuple(Skipped(path, reasons[path]) for path in sorted(reasons))


def _unfit(path: str) -> str:
    parts = path.split("/")
    if "\0" in path or {"", ".", ".."} & set(parts):
        return "not a path below the folder"
    if path.encode(errors="ignore").decode() != path:
        return "name is not UTF-8"
    if any(part.startswith(".") for part in parts):
        return "hidden files are not read"
    return unread_kind(path)


def _upsert(path: str, digest: str, seen: Seen | None, old_path: str | None = None) -> Change:
    operation: Operation = "rename" if old_path is not None else "upsert"
    return Change(operation, path, digest, seen.size if seen else 0, _moment(seen), old_path)


def _moment(seen: Seen | None) -> datetime | None:
    return datetime.fromtimestamp(seen.modified / 1e9, UTC) if seen else None


def _digest(handle: int) -> str:
    digest = hashlib.sha256()
    for block in read_blocks(handle, 1 << 62):
        digest.update(block)
    return digest.hexdigest()
