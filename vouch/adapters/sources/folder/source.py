"""A folder of documents. Size and times are the shortcut; the content hash decides."""

import errno
import hashlib
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from vouch.adapters.filesystem.foreign_files import NotRegular, read_blocks
from vouch.adapters.parsers.registry import too_large, unread_kind
from vouch.adapters.sources.folder.patterns import EXCLUDED, IGNORE_FILE, MOST_BYTES, Selection, ignore_lines, skipped
from vouch.adapters.sources.folder.walk import (
    Listing,
    Seen,
    blame,
    changes_of,
    list_folder,
    list_named,
    look,
    moment_of,
    open_below,
    open_root,
    untouched,
)
from vouch.documents.document import Change, Content, Skipped
from vouch.errors import Unavailable, Unreadable, Vanished, VouchError
from vouch.ports.ingestion import Scan

_log = logging.getLogger(__name__)
ACCESS_FILE = "access.yaml"
NO_HASH = hashlib.sha256(b"vouch: the bytes could not be read").hexdigest()
_RACY_NS = 2_000_000_000    # a file written this shortly before we looked may be written again at the same moment

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

StatRow = tuple[int, int, str]


class StatCache(Protocol):
    """Remembers path → (size, moment in ns, sha256) of a source's files. Losing it costs time only."""

    def get(self, source: str) -> Mapping[str, StatRow]: ...

    def put(self, source: str, rows: Mapping[str, StatRow]) -> None:
        """Replaces all rows of the source."""
        ...


class FolderSource:
    """The documents below `root`, each at its path relative to it, written as on disk."""

    def __init__(
        self, name: str, root: Path, stat_cache: StatCache, max_bytes: int,
        include: Sequence[str] = (), exclude: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """The patterns are the administrator's; the folder's own .vouchignore can only hide more."""
        self._name = name
        self._root = root
        self._cache = stat_cache
        self._max_bytes = max_bytes
        self._include, self._exclude = include, exclude
        self._scanned: tuple[int, int] | None = None        # which folder it was
        # Other limits make another hash: what was too large under one of them is looked at again under the next.
        self._too_large = hashlib.sha256(f"vouch: larger than {max_bytes} bytes".encode()).hexdigest()

    @property
    def name(self) -> str:
        return self._name

    def scan(
        self,
        known: Mapping[str, str],
        cursor: Mapping[str, Any],
        *,
        step: int | None = None,
        until: int | None = None,
        paths: Sequence[str] | None = None,
    ) -> Scan:
        """See Source. While steps of one run are left, the cursor counts what `until` has used up."""
        if paths is not None and IGNORE_FILE not in paths:      # another one concerns the whole folder
            return self._scan_named(known, cursor, paths)
        not_read, documents = self._look(known, None)
        used = int(cursor.get("given", 0)) if until is not None else 0
        allowed = len(documents) if until is None else min(len(documents), max(until - used, 0))
        taken = allowed if step is None else min(step, allowed)
        more = taken < allowed
        next_cursor = {"given": used + taken} if more and until is not None else {}
        unchanged = untouched(known, documents[:taken])
        return Scan(tuple(documents[:taken]), not_read, next_cursor, unchanged, more, whole=taken == len(documents))

    def skipped(self) -> tuple[Skipped, ...]:
        with open_root(self._root) as root:
            return _sort(list_folder(root, self._selection(root)))[1]

    def _selection(self, root: int) -> Selection:
        """What is read, by the patterns that stand now. Raises BadInput or Unavailable: in doubt nothing is read."""
        try:
            with open_below(root, IGNORE_FILE) as handle:
                lines = ignore_lines(b"".join(read_blocks(handle, MOST_BYTES + 1)))
        except FileNotFoundError:
            lines = []
        except OSError as error:
            raise Unavailable(
                f"{self._root}: {IGNORE_FILE} cannot be read: {error.strerror or error}",
                cure="make it a readable file, or remove it",
            ) from error
        return Selection(self._include, self._exclude, lines)

    def _scan_named(self, known: Mapping[str, str], cursor: Mapping[str, Any], paths: Sequence[str]) -> Scan:
        """The named files and all below the named folders. What cannot be a path here is told and passed over."""
        odd = {path: reason for path in paths if (reason := _odd(path))}
        for path, reason in odd.items():
            _log.warning("source %s: %r is skipped: %s", self._name, path, reason)
        named = frozenset(paths) - odd.keys()
        concerned = {path: digest for path, digest in known.items() if _within(path, named)}
        found_skipped, found = self._look(concerned, sorted(named))
        told = (*found_skipped, *(Skipped(path, reason) for path, reason in odd.items()))
        return Scan(tuple(found), told, dict(cursor), untouched(known, found), False)

    def _look(
        self, known: Mapping[str, str], named: Sequence[str] | None
    ) -> tuple[tuple[Skipped, ...], list[Change]]:
        """What is not read and why, and what differs from `known`; of the `named` paths alone unless None."""
        with open_root(self._root) as root:
            self._scanned = _which(root)
            selection = self._selection(root)
            listing = list_folder(root, selection) if named is None else list_named(root, named, selection)
            if not listing.entries or "" in listing.closed:
                raise self._away(listing.closed.get("", "is empty"))
            documents, not_read = _sort(listing)
            states = self._states(root, documents, listing, known, whole=named is None)
            return not_read, changes_of(known, states, documents, (NO_HASH, self._too_large))

    def load(self, change: Change) -> Content:
        with open_root(self._root) as root:
            try:
                with open_below(root, change.path) as handle:
                    seen = look(os.fstat(handle))
                    data = b"".join(self._blocks(handle, seen.size))
            except OSError as error:
                raise self._unread(root, change, error) from error
        return Content(change.path, data, hashlib.sha256(data).hexdigest(), moment_of(seen))

    def _unread(self, root: int, change: Change, error: OSError) -> VouchError:
        """What it means that a document cannot be read now: of one that the scan could read, more than of others."""
        reason = blame(error, change.path)
        if change.hash == NO_HASH:
            return Unreadable(reason, cure="let vouch read it; it is tried again when it changes")
        if isinstance(error, NotRegular) or error.errno in _NOT_THERE:
            with os.scandir(root) as entries:
                empty = next(entries, None) is None
            if empty or self._scanned not in (None, _which(root)):
                return self._away("is empty, or another folder, since it was scanned")
            return Vanished(f"is not there any more: {reason}", cure="the next ingest looks again")
        rows = dict(self._cache.get(self._name))        # the next scan reads it, and so knows if it is this file alone
        if rows.pop(change.path, None) is not None:
            self._cache.put(self._name, rows)
        return Unavailable(f"{self._root}: {change.path}, which was there a moment ago, {reason}",
                           cure="run again when the folder answers; what cannot be read then is quarantined")

    def _away(self, reason: str) -> Unavailable:
        cure = "an unmounted folder looks like this; remove the source if its documents should no longer be found"
        return Unavailable(f"{self._root}: {reason}", cure=cure)

    def _blocks(self, handle: int, size: int) -> Iterator[bytes]:
        """The bytes of a file that is said to be so large. Raises Unreadable before a byte too many is taken."""
        left = self._max_bytes
        if size > left:
            raise too_large(left)
        for block in read_blocks(handle, left + 1):
            left -= len(block)
            if left < 0:                # it grows while it is read
                raise too_large(self._max_bytes)
            yield block

    def _digest(self, handle: int, size: int) -> str:
        digest = hashlib.sha256()
        try:
            for block in self._blocks(handle, size):
                digest.update(block)
        except Unreadable:
            return self._too_large
        return digest.hexdigest()

    def _states(
        self, root: int, documents: Mapping[str, Seen], listing: Listing, known: Mapping[str, str], *, whole: bool
    ) -> dict[str, str]:
        """Path → content hash of what stands in the folder. What cannot be read is there all the same.

        A few named files are read as they are: the cache is read and written as
        a whole, which would cost more than they do.
        """
        remembered = self._cache.get(self._name) if whole else {}
        fresh: dict[str, StatRow] = {}
        states: dict[str, str] = {}
        for path, seen in documents.items():
            if seen.size > self._max_bytes:
                states[path] = self._too_large
                continue
            row = remembered.get(path)
            if row is not None and tuple(row[:2]) == (seen.size, seen.moment):
                states[path], fresh[path] = row[2], (row[0], row[1], row[2])
                continue
            try:
                states[path], row = self._read(root, path)
                if row is not None:
                    fresh[path] = row
            except FileNotFoundError:
                continue
            except OSError as error:
                blame(error, path)
                states[path] = NO_HASH
        closed = frozenset(listing.closed)
        for path in known:
            if _within(path.rpartition("/")[0], closed):
                states[path] = NO_HASH
        if whole and fresh != dict(remembered):
            self._cache.put(self._name, fresh)
        return states

    def _read(self, root: int, path: str) -> tuple[str, StatRow | None]:
        """The content hash of a file, and its row for the cache; none where it may be written at this moment."""
        began = time.time_ns()
        with open_below(root, path) as handle:
            before = look(os.fstat(handle))
            digest = self._digest(handle, before.size)
            sure = before == look(os.fstat(handle)) and before.moment < began - _RACY_NS
        return digest, (before.size, before.moment, digest) if sure else None


def _which(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


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
    skips = [skipped(path, reason) for path, reason in reasons.items()]
    skips += [skipped(path, reason, EXCLUDED) for path, reason in listing.hidden.items()]
    return documents, tuple(sorted(skips, key=lambda one: one.path))


def _odd(path: str) -> str:
    """Why `path` names nothing in a folder; empty if it may."""
    if "\0" in path or {"", ".", ".."} & set(path.split("/")):
        return "not a path below the folder"
    if any(part.startswith(".") for part in path.split("/")):
        return "hidden files are not read"
    return ""


def _within(path: str, named: frozenset[str]) -> bool:
    """Whether `path`, or a folder it lies in, is among those named."""
    while path not in named:
        path, slash, _ = path.rpartition("/")
        if not slash:
            return False
    return True
