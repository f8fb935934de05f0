"""Lists a folder's files without ever following a link, and how they differ from what is known."""

import errno
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from vouch.adapters.filesystem.foreign_files import MOST_PATH, open_regular
from vouch.adapters.sources.folder.patterns import Selection
from vouch.documents.document import Change, Operation
from vouch.errors import BadInput, Unavailable

_AWAY = frozenset(
    (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ENODEV, errno.ENOTCONN, errno.ETIMEDOUT)
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look at a file tells. `moment` is the later of its last write and its last change of state (ns)."""

    size: int
    moment: int
    modified: int


@dataclass
class Listing:
    """All that stands below a folder: files, what is refused and why, and folders that would not be listed.

    `hidden` are files and whole folders that patterns forbid, and why.
    """

    files: dict[str, Seen] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    hidden: dict[str, str] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)
    entries: int = 0


@contextmanager
def open_root(root: Path) -> Iterator[int]:
    """A descriptor of the folder. Raises Unavailable if it is gone: that never means its documents were removed."""
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except NotADirectoryError as error:
        raise BadInput(f"{root} is not a folder", cure="name the folder that holds the documents") from error
    except OSError as error:
        cure = "bring it back; if it moved: vouch source set; if it is gone for good: vouch source remove"
        raise Unavailable(f"folder {root} cannot be opened: {error.strerror}", cure=cure) from error
    try:
        yield handle
    finally:
        os.close(handle)


def blame(error: OSError, path: str) -> str:
    """Why this one file cannot be read. Raises Unavailable if the trouble is not the file's but the machine's."""
    reason = error.strerror or str(error)
    if error.errno in _AWAY:
        raise Unavailable(f"{path} cannot be read: {reason}", cure="run again when the folder answers") from error
    return f"cannot be read: {reason}"


@contextmanager
def open_below(root: int, path: str) -> Iterator[int]:
    """A descriptor of the regular file `path` below `root`; no part of the way may be a link. Raises OSError."""
    folder, _, name = path.rpartition("/")
    with folder_below(root, folder) as parent, open_regular(name, folder=parent) as handle:
        yield handle


@contextmanager
def folder_below(root: int, path: str, *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder, no part of whose way may be a link; with `make` what is missing of it is made.

    Raises OSError.
    """
    here = os.dup(root)
    try:
        for name in path.split("/") if path else ():
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o777, dir_fd=here)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            inner = os.open(name, flags, dir_fd=here)
            os.close(here)
            here = inner
        yield here
    finally:
        os.close(here)


def look(status: os.stat_result) -> Seen:
    """The state change counts too: a write that sets the old time back still moves it."""
    return Seen(status.st_size, max(status.st_mtime_ns, status.st_ctime_ns), status.st_mtime_ns)


def list_folder(root: int, selection: Selection | None = None) -> Listing:
    """Everything below `root` but hidden files and folders. What vanishes meanwhile is not there."""
    listing = Listing()
    _walk(root, [""], listing, selection)
    return listing


def list_named(root: int, paths: Sequence[str], selection: Selection | None = None) -> Listing:
    """The same for the named files and folders alone. `entries` tells whether anything at all stands in `root`."""
    listing = Listing()
    with os.scandir(root) as entries:
        listing.entries = sum(1 for _ in zip(range(1), entries, strict=False))
    waiting: list[str] = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        try:
            with folder_below(root, folder) as handle:
                _note(name, path, lambda: os.stat(name, dir_fd=handle, follow_symlinks=False),  # noqa: B023
                      listing, waiting, selection)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                listing.closed[folder] = blame(error, folder or "the folder")
    _walk(root, waiting, listing, selection)
    return listing


def _walk(root: int, waiting: list[str], listing: Listing, selection: Selection | None) -> None:
    while waiting:
        folder = waiting.pop()
        try:
            with folder_below(root, folder) as handle, os.scandir(handle) as entries:
                for entry in entries:
                    listing.entries += 1
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    _note(entry.name, path, lambda: entry.stat(follow_symlinks=False),  # noqa: B023
                          listing, waiting, selection)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                listing.refused[folder] = "became a link while it was read"
            elif error.errno != errno.ENOENT:
                listing.closed[folder] = blame(error, folder or "the folder")


def _note(
    name: str, path: str, status_of: Callable[[], os.stat_result], listing: Listing, waiting: list[str],
    selection: Selection | None,
) -> None:  # fmt: skip
    if name.startswith("."):
        return
    try:
        path.encode()
    except UnicodeEncodeError:
        listing.refused[path.encode(errors="surrogateescape").decode(errors="backslashreplace")] = "name is not UTF-8"
        return
    try:
        status = status_of()
    except FileNotFoundError:
        return
    kind = status.st_mode
    reason = selection.hidden(path, folder=stat.S_ISDIR(kind)) if selection is not None else ""
    if reason:
        listing.hidden[path] = reason
    elif stat.S_ISDIR(kind) and len(path) > MOST_PATH:
        listing.refused[path] = "is in too many nested folders"     # each one costs more to reach than the last
    elif stat.S_ISDIR(kind):
        waiting.append(path)
    elif stat.S_ISREG(kind):
        listing.files[path] = look(status)
    elif stat.S_ISLNK(kind):
        listing.refused[path] = "links are not followed; its target is read where it is, if it is in this folder"
    else:
        listing.refused[path] = "not a regular file (pipe, socket or device)"


def changes_of(
    known: Mapping[str, str], states: Mapping[str, str], documents: Mapping[str, Seen], unread: Collection[str]
) -> list[Change]:
    """What differs between two states of a folder, both path → hash; nothing is paired by a hash in `unread`."""
    gone = [p for p in sorted(known) if p not in states and known[p] not in unread]
    old_paths = _pair(known, gone, {p: h for p, h in states.items() if p not in known})
    moved = set(old_paths.values())
    changes = [Change("remove", path) for path in known if path not in states and path not in moved]
    for path, digest in states.items():
        if known.get(path) != digest:
            changes.append(_upsert(path, digest, documents.get(path), old_paths.get(path)))
    return sorted(changes, key=lambda change: change.path)


def untouched(known: Mapping[str, str], changes: Sequence[Change]) -> int:
    touched = {path for change in changes for path in (change.path, change.old_path)}
    return sum(path not in touched for path in known)


def _pair(known: Mapping[str, str], gone: Sequence[str], new: Mapping[str, str]) -> dict[str, str]:
    """New path → the gone path it was, where the bytes are equal; several of the same are paired in order."""
    homeless: dict[str, list[str]] = defaultdict(list)
    for path in gone:
        homeless[known[path]].append(path)
    pairs: dict[str, str] = {}
    for path in sorted(new):
        if homeless[new[path]]:
            pairs[path] = homeless[new[path]].pop(0)
    return pairs


def _upsert(path: str, digest: str, seen: Seen | None, old_path: str | None = None) -> Change:
    operation: Operation = "rename" if old_path is not None else "upsert"
    return Change(operation, path, digest, seen.size if seen else 0, moment_of(seen), old_path)


def moment_of(seen: Seen | None) -> datetime | None:
    return datetime.fromtimestamp(seen.modified / 1e9, UTC) if seen else None
