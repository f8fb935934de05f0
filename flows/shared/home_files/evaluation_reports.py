"""Reports of evaluations in the home: numbers, a page and pictures. They hold no question, title, path or person."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from flows.shared.home_files.folders import EVALUATIONS, refuse_links, report_folder
from indexers.storage import disk_errors, replace_file
from vouch.errors import NotFound
from vouch.learning.evaluator.evaluation_report import NAMES, SHOWS, evaluation_pictures, markdown

Kind = Literal["retrieval", "evaluator", "answers", "squad", "golden", "qasper", "financebench", "rag"]
_NAME = re.compile(rf"(?:{'|'.join(get_args(Kind))})-\d{{8}}T\d{{6}}(?:-\d{{1,3}})?")
_NEWEST = 20                            # kept whatever their age
_LARGEST = 2_000_000                    # bytes of a file that is read again


def save_evaluation(home: Path, kind: Kind, of: str, at: datetime, report: Mapping[str, Any]) -> Path:
    """The folder HOME/evaluations/KIND-TIME with report.json, report.md and SVG files, for its owner alone.

    `of`: what was measured on, in a word. Raises Damaged for a link, Unavailable.
    """
    name = _free(home, f"{kind}-{at:%Y%m%dT%H%M%S}")
    folder = report_folder(home, EVALUATIONS, name)
    whole = {"name": name, "kind": kind, "of": of, "at": at.isoformat(), **report}
    drawn = evaluation_pictures(whole)
    for what, text in drawn.items():
        replace_file(folder / f"{what}.svg", text.encode())
    replace_file(folder / "report.md", markdown(whole, [(SHOWS[what], f"{what}.svg") for what in drawn]).encode())
    replace_file(folder / "report.json", (json.dumps(whole, indent=1) + "\n").encode())     # last: only then it counts
    return folder


def evaluations(home: Path, most: int = 50) -> list[dict[str, Any]]:
    """The newest first; what cannot be read, and what somebody else put there, is none."""
    root = home / EVALUATIONS
    names = [path.name for path in root.iterdir()] if root.is_dir() and not root.is_symlink() else []
    found = (_read(home, name) for name in sorted(filter(_NAME.fullmatch, names), key=_time, reverse=True)[:most])
    return [one for one in found if one is not None]


def expire_evaluations(home: Path, before: datetime, *, dry_run: bool = False) -> int:
    """Deletes the reports made before then, but never the newest; how many they are, or would be.

    What somebody else put there stays. Raises Damaged for a link, Unavailable.
    """
    refuse_links(home)
    root = home / EVALUATIONS
    with disk_errors(root):
        names = filter(_NAME.fullmatch, (path.name for path in root.iterdir())) if root.is_dir() else ()
        old = [name for name in sorted(names, key=_time)[:-_NEWEST] if _time(name)[0] < f"{before:%Y%m%dT%H%M%S}"]
        for name in () if dry_run else old:
            _delete(root / name)
    return len(old)


def evaluation(home: Path, name: str) -> dict[str, Any]:
    """With the names of its `pictures`. Raises NotFound."""
    found = _read(home, name) if _NAME.fullmatch(name) else None
    if found is None:
        raise NotFound("there is no such report of an evaluation", cure="vouch evaluate writes one")
    return {**found, "pictures": [{"name": one, "shows": SHOWS[one]} for one in NAMES
                                  if _file(home, name, f"{one}.svg") is not None]}


def evaluation_picture(home: Path, name: str, picture: str) -> str:
    """SVG. Raises NotFound."""
    file = _file(home, name, f"{picture}.svg") if _NAME.fullmatch(name) and picture in NAMES else None
    if file is None:
        raise NotFound("there is no such picture", cure="open the report again")
    return file.decode(errors="replace")


def _delete(folder: Path) -> None:
    """report.json first: killed halfway, what is left counts as no report, and goes the next time."""
    (folder / "report.json").unlink(missing_ok=True)
    shutil.rmtree(folder)


def _read(home: Path, name: str) -> dict[str, Any] | None:
    try:
        found = json.loads(_file(home, name, "report.json") or b"")
    except ValueError:
        return None
    fits = isinstance(found, dict) and found.get("name") == name and isinstance(found.get("figures"), dict)
    return found if fits else None


def _file(home: Path, *names: str) -> bytes | None:
    """None for what is no file of a size that such a report has, or is behind a link."""
    path = home
    for name in (EVALUATIONS, *names):
        path /= name
        if path.is_symlink():
            return None
    return path.read_bytes() if path.is_file() and path.stat().st_size <= _LARGEST else None


def _free(home: Path, name: str) -> str:
    tried: Sequence[str] = [name, *(f"{name}-{number}" for number in range(2, 1000))]
    return next(one for one in tried if not (home / EVALUATIONS / one).exists())


def _time(name: str) -> tuple[str, int]:
    """Of a name, and which it was of those of one second."""
    _, time, *more = name.split("-")
    return time, int(more[0]) if more else 1
