"""Where reports and searches lie in the home, never behind a link."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from indexers.storage import disk_errors, make_folder
from vouch.errors import Damaged

REPORTS, TRAININGS, EVALUATIONS, SEARCHES = "reports", "trainings", "evaluations", "training-searches"
GOLDEN = "golden.jsonl"                  # a file of the home
_CURE = "put a folder in the place of the link, and delete what it points to by hand if it holds reports of vouch"


def report_folder(home: Path, *names: str) -> Path:
    """HOME/NAME/… exists, each for its owner alone. Raises Damaged if any of them is a link, Unavailable."""
    folder = home
    for name in names:
        folder /= name
        _refuse(folder)
        with disk_errors(folder):
            make_folder(folder)
            folder.chmod(0o700)         # whatever the mask was, or who made it before
    return folder


def refuse_links(home: Path) -> None:
    """Raises Damaged if a folder of reports, anything in one, or the file of golden questions is a link."""
    _refuse(home / GOLDEN)
    for name in (REPORTS, TRAININGS, EVALUATIONS, SEARCHES):
        for path in _all(home / name):
            _refuse(path)


def _all(folder: Path) -> Iterator[Path]:
    yield folder
    with disk_errors(folder):
        yield from sorted(folder.rglob("*"))


def _refuse(path: Path) -> None:
    if path.is_symlink():
        raise Damaged(f"{path} is a link: a purge would not reach what it points to", cure=_CURE)


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
