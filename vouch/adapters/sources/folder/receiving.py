"""Puts a document that somebody hands over into a folder, never through a link and never half of it."""

import errno
import os
import re
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vouch.adapters.parsers.registry import unread_kind
from vouch.adapters.sources.folder.patterns import Selection
from vouch.adapters.sources.folder.walk import folder_below, open_root
from vouch.errors import BadInput, Conflict, Unavailable

_DEEPEST = 20                           # folders
_DRAFT = re.compile(r"\.[0-9a-f]{32}\.upload")
_OLD_S = 3600.0
_CURE = "name it as a path below the folder: travel/booking.md"
_NOT_OURS = {errno.ELOOP: "is a link", errno.ENOTDIR: "is no folder", errno.EISDIR: "is a folder",
             errno.ENAMETOOLONG: "has too long a name", errno.EEXIST: "is there already"}  # fmt: skip


def check_place(path: str, selection: Selection) -> None:
    """Raises BadInput for a path at which a source of kind folder, with these patterns, reads no document."""
    parts = path.split("/")
    if {"", ".", ".."} & set(parts) or "\\" in path or len(parts) > _DEEPEST:
        raise BadInput("the path does not name a document below the folder", cure=_CURE)
    if any(part.startswith(".") for part in parts):
        raise BadInput("hidden files are not read", cure="begin no part of the path with a dot")
    reason = unread_kind(path) or selection.hidden(path)
    if reason:
        raise BadInput(f"it would not be read: {reason}", cure="docs/formats.md lists what is")


def receive(root: Path, path: str, data: bytes, *, replace: bool) -> bool:
    """The document is at `path` below `root`, for good; whether it took the place of another.

    Folders on the way are made, and drafts of processes that were killed are gone. Raises Conflict where something else
    stands, or without `replace` anything, BadInput for a name that cannot be, Unavailable.
    """
    folders, _, name = path.rpartition("/")
    draft = f".{uuid.uuid4().hex}.upload"       # hidden files are not read
    with open_root(root) as top, _told(path), folder_below(top, folders, make=True) as folder:
        try:
            _drop_left(folder)
            _write(folder, draft, data)
            if replace and _is_file(folder, name):
                os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
                replaced = True
            else:
                os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
                replaced = False
            os.fsync(folder)
        finally:
            _drop(folder, draft)
    return replaced


def _write(folder: int, name: str, data: bytes) -> None:
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _is_file(folder: int, name: str) -> bool:
    """Whether something is there. Raises OSError if that is no file."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise IsADirectoryError(errno.EISDIR, "is no file")
    finally:
        os.close(handle)
    return True


def _drop_left(folder: int) -> None:
    """Nothing else would: hidden files are not read, so no purge hears of them."""
    before = time.time() - _OLD_S
    for name in filter(_DRAFT.fullmatch, os.listdir(folder)):
        with suppress(FileNotFoundError):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and found.st_mtime < before:
                os.unlink(name, dir_fd=folder)


def _drop(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NOT_OURS:
            cure = "choose another path" + (", or tick that it is replaced" if error.errno == errno.EEXIST else "")
            raise Conflict(f"{path}, or a part of it, {_NOT_OURS[error.errno]}", cure=cure) from error
        raise Unavailable(f"{path} cannot be written: {error.strerror or error}",
                          cure="check free space and the permissions of the source's folder") from error
