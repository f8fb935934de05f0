"""How long a command has kept its person waiting: from the start of the process, imports and all."""

import os
import time
from pathlib import Path


class Waiting:
    """Measures on the monotonic clock; before anything began, from when this module was loaded."""

    def __init__(self) -> None:
        self._loaded = self._since = time.monotonic()
        self._begun = False

    def begin(self) -> None:
        """A command begins: the first of a process began with it, those that the demo runs begin now."""
        self._since = time.monotonic() if self._begun else min(_process_start(), self._loaded)
        self._begun = True

    def seconds(self) -> float:
        """Since the command began or, when asked again, since it was asked before."""
        before, self._since = self._since, time.monotonic()
        return self._since - before


waiting = Waiting()


def _process_start() -> float:
    """On the monotonic clock; now, where the kernel does not tell."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        age = 0.0
    return time.monotonic() - age
