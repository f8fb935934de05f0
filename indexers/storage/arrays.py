"""Arrays as plain files: little-endian numbers and nothing else, the kind in the file's name (rows.i4).

The manifest vouches for their size and content, so they need no header, and
opening one costs a memory map.
"""

import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.errors import Damaged


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
