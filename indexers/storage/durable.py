"""Immutable folders: written under a name never used before, on the disk before anything refers to them."""

import hashlib
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vouch.documents.manifest import FileEntry, FolderEntry
from vouch.errors import Unavailable

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
