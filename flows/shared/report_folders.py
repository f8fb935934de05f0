"""Where reports lie in the home. Never behind a link: a purge neither searches nor deletes what a link points to."""

from collections.abc import Iterator
from pathlib import Path

from indexers.storage.durable import disk_errors, make_folder
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
