"""What is left of a document in vouch's own files and databases, and where."""

import mmap
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from vouch.adapters.erasure.byte_search import Matcher
from vouch.adapters.filesystem.sqlite_file import is_sqlite, values
from vouch.errors import Unavailable

_BLOCK = 8 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """What is left, and where: `count` different fingerprints of a `kind` (text, id, key, vector, term)."""

    place: str
    kind: str
    count: int


def search_files(home: Path, matcher: Matcher, passed_over: Collection[Path]) -> Iterator[Found]:
    """What is left in the files below `home`; links are not followed, nor the places `passed_over` entered.

    Databases are also read value by value, for their files may keep a long
    value in pieces. Raises Unavailable for a file that cannot be read.
    """
    for path in own_files(home, passed_over):
        name = str(path.relative_to(home))
        try:
            needles = _in_file(path, matcher)
        except FileNotFoundError:
            continue                    # it went meanwhile
        except OSError as error:
            raise Unavailable(f"{path} cannot be searched: {error.strerror}", cure="fix its permissions") from error
        if is_sqlite(path):
            needles |= in_values(values(path), matcher)
        yield from report(name, needles, matcher)


def own_files(home: Path, passed_over: Collection[Path]) -> Iterator[Path]:
    """Regular files below `home`, in order. Raises Unavailable for a folder that cannot be looked into."""
    skip = {os.path.realpath(path) for path in passed_over}
    for folder, folders, files in os.walk(home, onerror=_closed):
        folders[:] = sorted(name for name in folders if os.path.realpath(Path(folder, name)) not in skip)
        for name in sorted(files):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink() and os.path.realpath(path) not in skip:
                yield path


def _closed(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        cause = f"{error.filename} cannot be searched: {error.strerror}"
        raise Unavailable(cause, cure="fix its permissions") from error


def in_values(found: Iterator[bytes], matcher: Matcher) -> set[bytes]:
    """The needles that stand in one of the values."""
    needles: set[bytes] = set()
    batch: list[bytes] = []
    size = 0
    for value in found:
        batch.append(value)
        size += len(value)
        if size > _BLOCK:
            needles |= matcher.find(b"\0".join(batch))
            batch, size = [], 0
    return needles | matcher.find(b"\0".join(batch))


def report(place: str, needles: set[bytes], matcher: Matcher) -> list[Found]:
    return [Found(place, kind, count) for kind, count in matcher.kinds(needles).items()]


def _in_file(path: Path, matcher: Matcher) -> set[bytes]:
    found: set[bytes] = set()
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return found
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for start in range(0, len(data), _BLOCK):
                found |= matcher.find(data[start : start + _BLOCK + matcher.longest])
    return found
