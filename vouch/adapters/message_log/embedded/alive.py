"""Which members of the embedded log's groups still live: each holds a lock on a file, which goes with its process."""

import contextlib
import fcntl
import os
from pathlib import Path


class Alive:
    """From its making until `end`, or until this process dies, `gone` is false of the member for all processes."""

    def __init__(self, log: Path, name: str) -> None:
        """A folder that cannot be written to costs this, and nothing else: its lease then says how long it lives."""
        self._file = _place(log, name)
        self._handle: int | None = None
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def end(self) -> None:
        if self._handle is not None:
            self._file.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None


def gone(log: Path, name: str) -> bool:
    """Whether the member's process ended without a word. In doubt it lives."""
    place = _place(log, name)
    try:
        handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        place.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _place(log: Path, name: str) -> Path:
    return log.with_name(f"{log.name}.members") / name
