"""Files are believed only when they are what the manifest says. Each is hashed once per process."""

import os
import threading
from pathlib import Path

from indexers.storage.durable import file_digest
from vouch.documents.manifest import FileEntry, FolderEntry
from vouch.errors import Damaged


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
