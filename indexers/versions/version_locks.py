"""Locks that tell a sweep what is in use: a version that somebody has open, a publish under way.

They are locks of the operating system (flock) and end with their process,
however it ends. A version is locked by its folder, which nobody replaces
while it is there, and for which reading rights are enough.
"""

import fcntl
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexers.storage import make_folder
from vouch.errors import IndexDown, NotFound

MANIFEST = "manifest.json"
_RIGHTS = "check the permissions of the folder"
_CURE = "the home folder must be on a file system with locks"


class VersionLock:
    """While it lives, no sweep takes the version away. Ends when it is released or no longer referred to."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.release = weakref.finalize(self, os.close, handle)


def pin_version(folder: Path) -> VersionLock:
    """Pins the version in `folder`. Raises NotFound if it is not there, or was just taken away."""
    pin = VersionLock(_open_folder(folder))
    try:
        fcntl.flock(pin.handle, fcntl.LOCK_SH)
        os.stat(MANIFEST, dir_fd=pin.handle)            # a sweep that was faster has deleted it
    except FileNotFoundError as error:
        pin.release()
        raise _gone(folder) from error
    except OSError as error:
        pin.release()
        raise IndexDown(f"{folder} cannot be locked: {error.strerror}", cure=_CURE) from error
    return pin


@contextmanager
def unpinned(folder: Path) -> Iterator[bool]:
    """Whether nobody has the version in `folder` open. If so, nobody can open it during the block."""
    with _closing(_open_folder(folder)) as handle:
        yield _locked(handle, folder)


@contextmanager
def publishing(home: Path) -> Iterator[None]:
    """During the block no sweep deletes anything. Waits for the end of one under way."""
    with _closing(_lock_file(home)) as handle:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield


@contextmanager
def nobody_publishes(home: Path) -> Iterator[bool]:
    """Whether no publish is under way. If so, publishes wait until the block ends."""
    with _closing(_lock_file(home)) as handle:
        yield _locked(handle, home)


def _open_folder(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _gone(folder) from error
    except OSError as error:
        raise IndexDown(f"{folder} cannot be opened: {error.strerror}", cure=_RIGHTS) from error


def _lock_file(home: Path) -> int:
    path = home / "publish.lock"
    try:
        make_folder(home)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise IndexDown(f"{path} cannot be opened: {error.strerror}", cure=_RIGHTS) from error


def _locked(handle: int, what: Path) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise IndexDown(f"{what} cannot be locked: {error.strerror}", cure=_CURE) from error
    return True


@contextmanager
def _closing(handle: int) -> Iterator[int]:
    try:
        yield handle
    finally:
        os.close(handle)


def _gone(folder: Path) -> NotFound:
    return NotFound(f"there is no version {folder.name} on the disk", cure="see vouch versions list")
