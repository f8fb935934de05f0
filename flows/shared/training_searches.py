"""What trainings that were cut off left in the home: flows/training/kept_searches.py writes it."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from flows.shared.report_folders import SEARCHES, refuse_links
from indexers.storage.durable import disk_errors

OLD = timedelta(days=7)                 # of a training that nobody went on with


def forget_searches(home: Path) -> None:
    """There is none any more. Raises Damaged for a link, Unavailable."""
    refuse_links(home)
    folder = home / SEARCHES
    if folder.is_dir():
        with disk_errors(folder):
            shutil.rmtree(folder)


def expire_searches(home: Path, now: datetime, *, dry_run: bool = False) -> int:
    """Deletes the files that nobody went on with for a week; how many they are, or would be. Raises Unavailable."""
    refuse_links(home)
    folder, before = home / SEARCHES, (now - OLD).timestamp()
    with disk_errors(folder):
        old = [path for path in folder.iterdir() if path.stat().st_mtime < before] if folder.is_dir() else []
        for path in () if dry_run else old:
            path.unlink(missing_ok=True)
    return len(old)
