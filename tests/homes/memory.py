"""Folders in memory where the system has that: for tests of many small commits, which the disk only slows."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """An empty folder, which is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)
