"""What of a source is read: patterns as in a .gitignore, and how what is not read is told."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from vouch.adapters.filesystem.foreign_files import odd_name, shown_name
from vouch.adapters.parsers.registry import unread_kind
from vouch.documents.document import Skipped
from vouch.errors import BadInput

IGNORE_FILE = ".vouchignore"
DEFAULT_EXCLUDES = (
    "node_modules/", "bower_components/", "__pycache__/", "site-packages/", "*.egg-info/", "__MACOSX/",
    "lost+found/", "$RECYCLE.BIN/", "System Volume Information/", "~$*",
)  # fmt: skip
_MOST_PATTERNS, MOST_BYTES = 200, 64 * 1024
_DEEPEST = 128                          # folders above a file: each is compared
_CLASS = re.compile(r"\[(!|\^)?(\]?[^\]]*)\]")


@dataclass(frozen=True, slots=True)
class _Pattern:
    parts: tuple[str, ...]              # of the path, `**` for any number of them
    folders_only: bool
    again: bool                         # `!`: what matches is taken back in


class Patterns:
    """Lines of a .gitignore, the last one that matches decides; what lies in a matched folder is matched as well.

    No pattern can cost more than its length times that of the path.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """Raises BadInput for more patterns than anybody writes by hand."""
        self._patterns = [pattern for line in lines if (pattern := _pattern(line)) is not None]
        if len(self._patterns) > _MOST_PATTERNS:
            raise BadInput(f"more than {_MOST_PATTERNS:,} patterns", cure="exclude whole folders")
        self._folder = lru_cache(maxsize=4096)(self._folder_matches)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def matches(self, path: str, *, folder: bool = False) -> bool:
        """Whether `path`, or a folder it lies in, is matched."""
        if not self._patterns:
            return False
        parts = path.split("/")
        return any(self._folder("/".join(parts[:n])) for n in range(1, len(parts))) or self._decides(path, folder)

    def _folder_matches(self, path: str) -> bool:
        return self._decides(path, folder=True)

    def _decides(self, path: str, folder: bool) -> bool:
        parts = tuple(path.split("/"))
        for pattern in reversed(self._patterns):
            if (folder or not pattern.folders_only) and _fits(pattern.parts, parts):
                return not pattern.again
        return False


class Selection:
    """What of a source is read: what the administrator's patterns let through and its own .vouchignore does not hide.

    The two are asked apart, so that who may write in the source can hide by its file, and never open.
    """

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = (), ignored: Sequence[str] = ()) -> None:
        self._include = Patterns(include)
        self._exclude = Patterns([*DEFAULT_EXCLUDES, *exclude])
        self._ignored = Patterns(ignored)
        lines = [list(include), list(exclude), list(ignored)]
        digest = hashlib.sha256(json.dumps(lines).encode(errors="surrogatepass")).hexdigest()[:16]
        self.digest = digest if any(lines) else ""          # of what was chosen besides the defaults

    def hidden(self, path: str, *, folder: bool = False) -> str:
        """Why `path` is not read; empty if patterns do not forbid it."""
        if path.count("/") > _DEEPEST:
            return "its path is too deep to be compared with patterns"
        if self._exclude.matches(path, folder=folder):
            return "excluded by the patterns of its source"
        if self._ignored.matches(path, folder=folder):
            return f"excluded by {IGNORE_FILE}"
        if self._include and not folder and not self._include.matches(path):
            return "not among the patterns to include"
        return ""


def ignore_lines(data: bytes) -> list[str]:
    """The lines of a .vouchignore. Raises BadInput: what cannot be understood must hide, so nothing is read then."""
    if len(data) > MOST_BYTES:
        raise BadInput(f"{IGNORE_FILE} is larger than {MOST_BYTES:,} bytes", cure="exclude whole folders")
    try:
        return data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"{IGNORE_FILE} is not UTF-8 text", cure="save it as UTF-8") from error


def _pattern(line: str) -> _Pattern | None:
    """None for a blank line and a comment."""
    line = line.rstrip("\r\n")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    again = line.startswith("!")
    line = line[1:] if again else line
    if not line.strip("/") or (line.startswith("#") and not again):
        return None
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    anchored = "/" in line
    parts = tuple(part for part in line.split("/") if part)
    return _Pattern(parts if anchored else ("**", *parts), folders_only, again)


def _fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    return _left(pattern, parts, "**", _name_fits) == ()                # `folder/**`: all that lies in it, not itself


@lru_cache(maxsize=65_536)
def _name_fits(pattern: str, name: str) -> bool:
    left = _left(_marks(pattern), name, "*", _letter_fits)
    return left is not None and all(mark == "*" for mark in left)


def _left(
    pattern: tuple[str, ...], values: Sequence[str], star: str, fits: Callable[[str, str], bool]
) -> tuple[str, ...] | None:
    """What of the pattern is left once all values are matched; None if they cannot be.

    Two pointers and one place to go back to, so that the cost stays within the product of the lengths.
    """
    p = n = 0
    after_star, taken = 0, 0
    while n < len(values):
        if p < len(pattern) and pattern[p] == star:
            p += 1
            after_star, taken = p, n
        elif p < len(pattern) and fits(pattern[p], values[n]):
            p, n = p + 1, n + 1
        elif after_star:
            taken += 1
            p, n = after_star, taken
        else:
            return None
    return pattern[p:]


@lru_cache(maxsize=4096)
def _marks(pattern: str) -> tuple[str, ...]:
    """`*`, `?`, `[…]` and single letters, those after a backslash with it."""
    marks, i = [], 0
    while i < len(pattern):
        letter = pattern[i]
        group = _CLASS.match(pattern, i) if letter == "[" else None
        if group is not None:
            marks.append(group[0])
        elif letter == "\\" and i + 1 < len(pattern):
            marks.append(pattern[i : i + 2])
        elif letter != "*" or not marks or marks[-1] != "*":
            marks.append(letter)
        i += len(marks[-1]) if group is not None or letter == "\\" else 1
    return tuple(marks)


def _letter_fits(mark: str, letter: str) -> bool:
    if mark == "?":
        return True
    if mark.startswith("\\"):
        return letter == mark[-1]
    if len(mark) == 1:
        return letter == mark
    group = _CLASS.fullmatch(mark)
    assert group is not None
    return _in_class(group[2], letter) != bool(group[1])


def _in_class(ranges: str, letter: str) -> bool:
    i = 0
    while i < len(ranges):
        if i + 2 < len(ranges) and ranges[i + 1] == "-":
            if ranges[i] <= letter <= ranges[i + 2]:
                return True
            i += 3
        else:
            if ranges[i] == letter:
                return True
            i += 1
    return False


EXCLUDED = "excluded"


def skipped(path: str, reason: str, group: str = "") -> Skipped:
    """Without a `group`: files of a kind that is not read count under their suffix."""
    if not group and reason == unread_kind(path) and not odd_name(path):
        group = PurePosixPath(path).suffix.lower() or "without a suffix"
    return Skipped(shown_name(path), reason, group=group or "other")
