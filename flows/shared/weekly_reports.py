"""The weekly reports in the home: files by day, for whoever may open the home.

They hold words of questions and names of documents. So they go with a purge,
all of them, and no report outlives the questions it was made from.
"""

import re
import shutil
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from flows.shared.report_folders import REPORTS, refuse_links, report_folder
from indexers.storage.durable import disk_errors, replace_file

FOLDER = REPORTS
_NAME = re.compile(r"gaps-(\d{4}-\d{2}-\d{2})\.\w+")


def write_files(home: Path, day: date, texts: Mapping[str, str]) -> list[Path]:
    """One file for each kind (`md`: its text), in place of those of the same day. Raises Damaged, Unavailable."""
    folder = report_folder(home, FOLDER)
    written = []
    for kind, text in texts.items():
        path = folder / f"gaps-{day.isoformat()}.{kind}"
        replace_file(path, text.encode())
        written.append(path)
    return written


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
        return date.fromisoformat(named[1]) if named else None
    except ValueError:
        return None
