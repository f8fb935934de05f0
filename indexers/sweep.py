"""Deletes what no version refers to: leftovers of publishes that failed or were killed."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from indexers.files import IndexFiles
from vouch.errors import Damaged, NotFound
from vouch.ports import VersionRow, VersionStore


def sweep(files: IndexFiles, versions: VersionStore, horizon: float) -> list[str]:
    """Deletes unneeded folders last touched before `horizon` (seconds since 1970); says which.

    Everything a published version names stays, and so does what a publish
    begun after `horizon` names. Raises Damaged, and deletes nothing, if a
    published manifest cannot be read, for then nobody knows what it needs.
    """
    # Folders are listed before the versions are read: what is written later is not in the list.
    old = [*_old(files.segments, horizon), *_old(files.parts, horizon), *_old(files.versions, horizon)]
    rows = versions.rows()
    for row in rows:
        if row.state == "building" and row.created_at.timestamp() < horizon:
            versions.abandon(row.number)
    needed = _needed(files, [r for r in rows if r.state == "published" or _young(r, horizon)])
    numbers = {row.number for row in rows}
    deleted = []
    for folder in old:
        known = folder.parent != files.versions or (folder.name.isdecimal() and int(folder.name) in numbers)
        if known and folder not in needed:
            shutil.rmtree(folder)
            deleted.append(f"{folder.parent.name}/{folder.name}")
    return deleted


def _young(row: VersionRow, horizon: float) -> bool:
    return row.state == "building" and row.created_at.timestamp() >= horizon


def _needed(files: IndexFiles, rows: Iterable[VersionRow]) -> set[Path]:
    needed: set[Path] = set()
    for row in rows:
        needed.add(files.versions / str(row.number))
        try:
            manifest = files.manifest(row.number)
        except NotFound as error:
            if row.state == "building":
                continue
            raise Damaged(f"{error.cause}, so nothing was swept", cure="restore it") from error
        needed |= {files.segments / entry.id for entry in manifest.segments}
        needed |= {files.parts / entry.id for entry in manifest.parts}
    return needed


def _old(folder: Path, horizon: float) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and path.stat().st_mtime < horizon)
