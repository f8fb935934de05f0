"""What runs on a home, each with a file it holds a lock on; a process that stands still is ended.

No thread of Python could notice that: each needs the lock. The standard
library's faulthandler waits in a thread of the system that needs none. It is
put off, again and again, by a thread that does need it.
"""

import contextlib
import faulthandler
import fcntl
import json
import os
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = "processes"
EVERY_S = 2.0
_SIZE = 16_384                          # of each file: it is overwritten in place, so that its lock stays
_LOOKS, _LOOK_S = 20, 0.005             # a file that is just being overwritten is looked at again
_SUM = 8


class ProcessEntry:
    """From `begin` to `end` others find this process, with what `state` says, two seconds old at most."""

    def __init__(self, home: Path, role: str, state: Callable[[], Mapping[str, Any]]) -> None:
        self._file = home / FOLDER / f"{role}-{os.getpid()}-{uuid.uuid4().hex[:6]}.json"
        self._role = role
        self._state = state
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """A home that cannot be written to costs the presence, and nothing else."""
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
            self._write(handle)
            self._thread = threading.Thread(target=self._keep, args=(handle,), name="presence", daemon=True)
            self._thread.start()

    def end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._file.unlink(missing_ok=True)

    def _keep(self, handle: int) -> None:
        try:
            while not self._stop.wait(EVERY_S):
                with contextlib.suppress(OSError):
                    self._write(handle)
        finally:
            os.close(handle)

    def _write(self, handle: int) -> None:
        data = json.dumps({"role": self._role, "pid": os.getpid(), **self._state()}).encode()
        os.pwrite(handle, (_sum(data) + data)[:_SIZE].ljust(_SIZE), 0)


def running(home: Path) -> list[dict[str, Any]]:
    """What the processes of this home say of themselves; the files of those that are gone are removed."""
    processes = []
    for path in sorted((home / FOLDER).glob("*.json")):
        with contextlib.suppress(OSError), _opened(path) as handle:
            if _free(handle):
                path.unlink(missing_ok=True)
                continue
            note = _said(handle)
            if note is not None:
                processes.append(json.loads(note))
    return processes


def _said(handle: int) -> bytes | None:
    """What was written last, whole: systems show a write of several pages by halves. None before the first one."""
    for look in range(_LOOKS):
        time.sleep(_LOOK_S if look else 0.0)
        told = os.pread(handle, _SIZE, 0).rstrip()
        data = told[_SUM:]
        if data and told[:_SUM] == _sum(data):
            return data
    return None


def _sum(data: bytes) -> bytes:
    return b"%08x" % zlib.crc32(data)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)


def _free(handle: int) -> bool:
    """Whether no process holds it any more."""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


_PER_LIMIT = 10                         # so often is it put off


@contextmanager
def ended_if_stalled(limit_s: float) -> Iterator[None]:
    """Inside, a process whose threads all stand still for `limit_s` ends with status 1, its stacks on standard error.

    The stacks name files, lines and functions, and hold no words. A process
    that the system stopped for so long may end too when it goes on.
    """
    over = threading.Event()

    def put_off() -> None:
        while not over.is_set():
            faulthandler.dump_traceback_later(limit_s, exit=True, file=2)
            over.wait(limit_s / _PER_LIMIT)

    thread = threading.Thread(target=put_off, name="stall", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        faulthandler.cancel_dump_traceback_later()
