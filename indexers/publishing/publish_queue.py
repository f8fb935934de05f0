"""Who lost the race for the pointer goes before newcomers, so that a large publish is not overtaken for ever.

A courtesy between the processes of one machine, by a lock that ends with
its process. What keeps versions whole is the compare-and-swap of the pointer:
where locks do not work or somebody holds one too long, everybody goes on.
"""

import contextlib
import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_WAIT_S = 60.0
_LOOK_S = 0.01


class PublishQueue:
    def __init__(self, home: Path) -> None:
        self._path = home / "publish.turn"

    def let_pass(self) -> None:
        """Waits while somebody who lost before tries again."""
        with contextlib.suppress(OSError), self._path.open("rb") as file:
            _lock(file, fcntl.LOCK_SH)

    @contextlib.contextmanager
    def first(self) -> Iterator[None]:
        """Newcomers wait during the block, and so do others who lost."""
        with contextlib.ExitStack() as held:
            with contextlib.suppress(OSError):
                _lock(held.enter_context(self._path.open("ab")), fcntl.LOCK_EX)
            yield


def _lock(file: IO[bytes], kind: int) -> None:
    end = time.monotonic() + _WAIT_S
    while time.monotonic() < end:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_LOOK_S)
