"""What one document may cost, and whether a process has used more time or memory than that."""

import os
import time
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vouch.adapters.parsers.registry import MOST_PAGES

RULES = "parsing-2"                     # raised when this code can read what it could not read before
MOST_CHARACTERS = 20_000_000            # of text; compressed files can hold far more than their size
MOST_PASSAGES = 50_000
SMALL_TEXT = 64 * 1024                  # bytes; the worst that so little Markdown or text can cost is about a second
_PARSERS = (
    *("charset-normalizer", "defusedxml", "lxml", "markdown-it-py", "openpyxl", "pypdf", "python-docx", "python-pptx"),
    *("striprtf", "trafilatura"),
)


@dataclass(frozen=True, slots=True)
class ParsingLimits:
    """`seconds` are the child's processor time; it may live `PATIENCE` times as long, for the machine may be busy."""

    seconds: float = 9.0
    memory_mb: int = 512
    pages: int = MOST_PAGES
    document_bytes: int = 20_000_000

    @property
    def fingerprint(self) -> str:
        """Changes whenever a document that was quarantined might be read now."""
        parts = [RULES, *(f"{limit} {value:g}" for limit, value in asdict(self).items())]
        parts += [f"{name} {_version(name)}" for name in _PARSERS]
        return sha256("; ".join(parts).encode()).hexdigest()[:16]


PATIENCE = 3


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


POLL_S = 0.02
_TICKS = os.sysconf("SC_CLK_TCK")


class Ended(Exception):
    """The process is gone, or has to go."""


class TooSlow(Ended):
    pass


class TooLarge(Ended):
    pass


class Killed(Ended):
    """Somebody else ended it: mostly the system, for want of memory."""


class Watch:
    """Looks at a process for as long as it lives. `start` before each piece of work, `check` often while it lasts."""

    def __init__(self, pid: int, limits: ParsingLimits) -> None:
        self._pid = pid
        self._limits = limits
        self.most_mb = 0                # seen so far, by looks or by the system's own record
        self.worked_s = 0.0             # processor time, when last looked at
        self.start(0)

    def start(self, wall_s: float = 0) -> None:
        """A piece of work begins; it may last `wall_s`, by default as long as the limits say."""
        self._look()
        self._began = self._looked = time.monotonic()
        self._base_s = self.worked_s
        self._wall_s = wall_s or self._limits.seconds * PATIENCE

    def check(self) -> None:
        """Raises TooSlow or TooLarge."""
        now = time.monotonic()
        if now - self._looked < POLL_S:
            return
        self._looked = now
        held_mb = self._look()
        if now - self._began > self._wall_s or self.worked_s - self._base_s > self._limits.seconds:
            raise TooSlow
        if held_mb > self._limits.memory_mb:
            raise TooLarge

    def _look(self) -> int:
        fields = _proc(self._pid, "stat").rpartition(")")[2].split()
        if fields:
            self.worked_s = (int(fields[11]) + int(fields[12])) / _TICKS
        held, most = memory_mb(self._pid)
        self.most_mb = max(self.most_mb, most)
        return held


def memory_mb(pid: int | str = "self") -> tuple[int, int]:
    """What a process holds now and the most it ever held; zeros where there is no /proc to tell.

    Not `getrusage`: what that says of a child begins with what its parent held.
    """
    facts = dict(line.partition(":")[::2] for line in _proc(pid, "status").splitlines())
    held, most = (int(facts.get(name, "0 kB").split()[0]) // 1024 for name in ("VmRSS", "VmHWM"))
    return held, most


def _proc(pid: int | str, name: str) -> str:
    """Empty where there is none: the wall clock and the child's own limits are left then."""
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except OSError:
        return ""
