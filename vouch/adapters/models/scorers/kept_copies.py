"""Copies of models' folders in the home: whole or not there, one process at a time, and no left-overs."""

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vouch.adapters.models.folder import ModelFolder
from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights
from vouch.errors import ModelDown

STALE_S = 3600.0                        # nobody copies for so long without a new file
_DRAFT = ".new-"


@contextmanager
def alone(copies: Path) -> Iterator[None]:
    """Nobody else adds or discards a copy meanwhile."""
    copies.mkdir(mode=0o700, exist_ok=True)
    with (copies / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def copy_folder(folder: Path, place: Path, weights: str) -> None:
    """What is there under the name is never half of it. Raises ModelDown for a folder that changes meanwhile."""
    _sweep(place.parent)
    if _holds(place, weights):
        return
    draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=place.parent))
    try:
        _copy(folder, draft)
        if cross_encoder_weights(draft) != weights:
            raise ModelDown(f"{folder} changed while it was copied", cure="add it again")
        if place.exists():              # damaged
            shutil.rmtree(place)
        draft.rename(place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _copy(folder: Path, draft: Path) -> None:
    for file in ModelFolder(folder).files():
        target = draft / file.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(file, target)
        except FileNotFoundError as error:
            raise ModelDown(f"{file} is gone since the copying began", cure="add it again") from error


def _holds(place: Path, weights: str) -> bool:
    return (place / "tokenizer.json").is_file() and cross_encoder_weights(place) == weights


def _sweep(copies: Path) -> None:
    """Of adds that were interrupted."""
    for draft in copies.glob(f"{_DRAFT}*"):
        if time.time() - draft.stat().st_mtime > STALE_S:
            shutil.rmtree(draft, ignore_errors=True)
