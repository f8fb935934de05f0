"""The reports of weeks and days in the home: files by day, for whoever may open the home.

They hold words of questions and names of documents. So they go with a purge,
all of them, and no report outlives the questions it was made from.
"""

import fcntl
import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from flows.shared.home_files.folders import REPORTS, refuse_links, report_folder
from indexers.storage import disk_errors, replace_file

FOLDER = REPORTS
GAPS, DIGEST = "gaps", "digest"
_NAME = re.compile(r"(gaps|digest)-(\d{4}-\d{2}-\d{2})\.(?:(?:user|group)-[^/]+\.)?(?:json|md|svg)", re.DOTALL)
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789@._-")
_LONGEST = 120


@contextmanager
def reports_turn(home: Path) -> Iterator[None]:
    """Nobody else writes or changes reports meanwhile; waits for whoever does."""
    path = home / "reports.lock"
    with disk_errors(path), path.open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_files(home: Path, day: date, texts: Mapping[str, str], name: str = GAPS) -> list[Path]:
    """One file for each kind (`md`: its text), in place of those of that name and day. Raises Damaged, Unavailable."""
    folder = report_folder(home, FOLDER)
    written = []
    with disk_errors(folder):
        for path in _files(home):
            if _day(path) == day and path.name.startswith(f"{name}-"):
                path.unlink(missing_ok=True)
    for kind, text in texts.items():
        path = folder / f"{name}-{day.isoformat()}.{kind}"
        replace_file(path, text.encode())
        written.append(path)
    return written


def picture_of(day: date) -> str:
    return f"gaps-{day.isoformat()}.svg"


def kind_of(owner: str, kind: str) -> str:
    """The kind of a file for one owner: equal for no two owners, whatever is in their names."""
    sort, _, name = owner.partition(":")
    plain = "".join(sign if sign in _PLAIN else "".join(f"%{byte:02x}" for byte in sign.encode()) for sign in name)
    if len(plain) > _LONGEST:
        plain = f"%{hashlib.sha256(name.encode()).hexdigest()}"
    return f"{sort}-{plain}.{kind}"


def report_files(home: Path) -> list[Path]:
    """All there are, in order of their names; no other file that somebody put beside them."""
    return [path for path in _files(home) if _day(path) is not None]


def report_day(path: Path) -> date:
    """Raises ValueError for a file that is no report."""
    day = _day(path)
    if day is None:
        raise ValueError(path.name)
    return day


def expire_reports(home: Path, before: date, *, dry_run: bool = False) -> int:
    """Deletes the files of days before that one; how many they are, or would be. Raises Unavailable."""
    old = [path for path in _files(home) if (day := _day(path)) is not None and day < before]
    if not dry_run:
        with disk_errors(home / FOLDER):
            for path in old:
                path.unlink(missing_ok=True)
    return len(old)


def forget_reports(home: Path) -> None:
    """There is none any more. Raises Damaged for a link, Unavailable."""
    refuse_links(home)
    folder = home / FOLDER
    if folder.is_dir():
        with disk_errors(folder):
            shutil.rmtree(folder)


def _files(home: Path) -> list[Path]:
    folder = home / FOLDER
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _day(path: Path) -> date | None:
    """None for a file that is no report."""
    named = _NAME.fullmatch(path.name)
    try:
        return date.fromisoformat(named[2]) if named else None
    except ValueError:
        return None
