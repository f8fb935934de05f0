"""Immutable files and folders: written durably under a new name, checked before use, mapped as arrays.

The manifest vouches for their size and content, so they need no header, and
opening one costs a memory map.
"""

import hashlib
import mmap
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.documents.manifest import FileEntry, FolderEntry
from vouch.errors import Damaged, Unavailable


def write_array(path: Path, values: NDArray[Any]) -> None:
    """`path` holds `values` row by row, as the kind its suffix names."""
    path.write_bytes(np.ascontiguousarray(values, _kind(path)).tobytes())


def map_array(path: Path) -> NDArray[Any]:
    """The numbers in `path`, one dimension, read only, read from the disk when touched."""
    return np.frombuffer(map_bytes(path), _kind(path))


def map_bytes(path: Path) -> bytes | mmap.mmap:
    """What is in `path`, read from the disk when touched. Raises Damaged if it cannot be opened."""
    try:
        with path.open("rb") as file:
            empty = path.stat().st_size == 0                # which cannot be mapped
            return b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror}", cure="check the disk and the permissions of the folder") from error


def _kind(path: Path) -> str:
    return "<" + path.suffix.removeprefix(".")


_BLOCK = 1 << 20


def write_folder(parent: Path, rows: int, fill: Callable[[Path], None]) -> FolderEntry:
    """A new folder under `parent` with the files `fill` writes into it, all of them durable."""
    with disk_errors(parent):
        make_folder(parent)
        name = uuid.uuid4().hex
        folder = parent / name
        folder.mkdir()
        fill(folder)
        files = tuple(_settle(path) for path in sorted(folder.iterdir()))
        sync_folder(folder)
        sync_folder(parent)
    return FolderEntry(id=name, rows=rows, files=files)


def replace_file(path: Path, data: bytes) -> None:
    """`path` holds `data`, durably; a crash leaves either nothing or all of it."""
    with disk_errors(path):
        temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """`folder` exists, durably, and so do the folders above it."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


@contextmanager
def disk_errors(where: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"cannot write {where}: {error.strerror or error}",
            cure="check free space and the permissions of the folder",
        ) from error


def _settle(path: Path) -> FileEntry:
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return FileEntry(name=path.name, size=path.stat().st_size, sha256=file_digest(path))


class Checksums:
    """Remembers which files were sound; a file whose size, times or inode changed is hashed again."""

    def __init__(self) -> None:
        self._sound: dict[tuple[str, str], tuple[int, ...]] = {}
        self._lock = threading.Lock()

    def check(self, folder: Path, entry: FileEntry) -> Path:
        """The path of a sound file. Raises Damaged, naming the file and what is wrong with it."""
        path = folder / entry.name
        try:
            state = path.stat()
            # the time of the last change of any kind, for that of the last writing can be set by hand
            print_of_file = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
            if self._sound.get((str(path), entry.sha256)) == print_of_file:
                return path
            self._compare(path, entry, state)
        except OSError as error:
            raise Damaged(f"{path}: {os.strerror(error.errno or 0)}", cure=_CURE) from error
        with self._lock:
            self._sound[str(path), entry.sha256] = print_of_file
        return path

    def check_all(self, folder: Path, entry: FolderEntry) -> None:
        for file in entry.files:
            self.check(folder, file)

    @staticmethod
    def _compare(path: Path, entry: FileEntry, state: os.stat_result) -> None:
        if state.st_size != entry.size:
            raise Damaged(f"{path} has {state.st_size} bytes instead of {entry.size}", cure=_CURE)
        if file_digest(path) != entry.sha256:
            raise Damaged(f"{path} does not match its checksum", cure=_CURE)


_CURE = "roll back to a sound version, or restore the file"


class Folder:
    """An immutable folder of a version, read only through its checksums."""

    def __init__(self, path: Path, entry: FolderEntry, checksums: Checksums) -> None:
        self.path = path
        self.entry = entry
        self._files = {file.name: file for file in entry.files}
        self._checksums = checksums

    def lists(self, name: str) -> bool:
        """Whether the manifest names such a file."""
        return name in self._files

    def file(self, name: str) -> Path:
        """The path of one sound file. Raises Damaged."""
        if name not in self._files:
            raise Damaged(f"{self.path} should hold {name}, but its manifest does not list it")
        return self._checksums.check(self.path, self._files[name])

    def check(self) -> None:
        self._checksums.check_all(self.path, self.entry)
