"""What one version has that another has not."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from indexers.parts.document_parts import Header, Place
from indexers.versions.version import OpenVersion


@dataclass(frozen=True)
class VersionDiff:
    """Documents as (source, path), renames as (source, old path, new path); chunks by their index rows."""

    added: tuple[Place, ...]
    changed: tuple[Place, ...]
    renamed: tuple[tuple[str, str, str], ...]
    removed: tuple[Place, ...]
    chunks_added: int
    chunks_removed: int
    chunks_kept: int


def difference(older: OpenVersion, newer: OpenVersion) -> VersionDiff:
    before = {h.place: h for h in older.headers}
    after = {h.place: h for h in newer.headers}
    gone = [before[place] for place in sorted(before.keys() - after.keys())]
    new = [after[place] for place in sorted(after.keys() - before.keys())]
    renamed = _renames(gone, new)
    moved_from = {(source, old) for source, old, _ in renamed}
    moved_to = {(source, path) for source, _, path in renamed}
    kept = len(np.intersect1d(older.chunks.serials, newer.chunks.serials))
    return VersionDiff(
        added=tuple(h.place for h in new if h.place not in moved_to),
        changed=tuple(p for p in sorted(before.keys() & after.keys()) if before[p] != after[p]),
        renamed=renamed,
        removed=tuple(h.place for h in gone if h.place not in moved_from),
        chunks_added=len(newer.chunks.serials) - kept,
        chunks_removed=len(older.chunks.serials) - kept,
        chunks_kept=kept,
    )


def _renames(gone: list[Header], new: list[Header]) -> tuple[tuple[str, str, str], ...]:
    """Documents of equal content, one by one in order of path."""
    old_paths: dict[tuple[str, str], list[str]] = defaultdict(list)
    for header in reversed(gone):
        old_paths[header.source, header.hash].append(header.path)
    return tuple(
        (h.source, old_paths[h.source, h.hash].pop(), h.path) for h in new if old_paths.get((h.source, h.hash))
    )
