"""Opens files that other people may replace while we look: only a regular file is ever read."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NotRegular(OSError):
    """A pipe, device, socket or folder stands where a file was expected."""


@contextmanager
def open_regular(path: str | Path, *, folder: int | None = None, follow: bool = False) -> Iterator[int]:
    """A descriptor of the regular file at `path` (within the open `folder`), for reading.

    What is checked is the opened file itself, so nothing can be swapped in
    between. Never waits for the other end of a pipe. Raises OSError; a
    symbolic link is one unless `follow`.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    handle = os.open(path, flags, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegular("not a regular file")
        yield handle
    finally:
        os.close(handle)


def read_blocks(handle: int, most: int) -> Iterator[bytes]:
    """The file's bytes from where it stands, at most `most` of them, in blocks."""
    while most > 0 and (block := os.read(handle, min(most, 1 << 20))):
        most -= len(block)
        yield block
