"""Files of others: only regular ones are read, and names that would deceive are told."""

import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_PATH = 4096                        # bytes, as most systems have it
_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CATEGORIES = frozenset(("Cc", "Zl", "Zp", "Cs"))


def odd_name(path: str) -> str:
    """Why nothing at `path` is taken for a document; empty if its name is fine."""
    if path.isascii() and path.isprintable() and len(path) <= MOST_PATH:
        return ""
    if len(path.encode(errors="surrogatepass")) > MOST_PATH:
        return f"path is longer than {MOST_PATH:,} bytes"
    if any(c in _BIDI for c in path):
        return "name reverses the direction of writing"
    categories = {unicodedata.category(c) for c in path}
    if "Cs" in categories:
        return "name is not UTF-8"
    return "name holds line breaks or control characters" if categories & _CATEGORIES else ""


def shown_name(path: str) -> str:
    """`path` on one line, with nothing in it that a terminal would act on; cut where nobody reads on."""
    cut = path if len(path) <= MOST_PATH else f"{path[:200]}…"
    return "".join(c if c not in _BIDI and unicodedata.category(c) not in _CATEGORIES else _escaped(c) for c in cut)


def _escaped(character: str) -> str:
    if unicodedata.category(character) == "Cs":
        raw = character.encode(errors="surrogateescape") if "\udc80" <= character <= "\udcff" else b""
        return raw.decode(errors="backslashreplace") or f"\\u{ord(character):04x}"
    return character.encode("unicode_escape").decode()


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
