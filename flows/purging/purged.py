"""Keeps what was purged from coming back: neither its place nor its content gets past a scan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vouch.adapters.ledger import Refused
from vouch.documents.document import Change, Skipped
from vouch.ports.source import Scan, Source


def scan_without_purged(
    source: Source,
    known: Mapping[str, str],
    cursor: Mapping[str, Any],
    refused: Refused,
    *,
    step: int | None,
    until: int | None,
    paths: Sequence[str] | None,
) -> Scan:
    """The source's scan; what was purged is skipped, and leaves if it had taken another document's place."""
    asked = step
    while True:
        found = source.scan(known, cursor, step=asked, until=until, paths=paths)
        scan = without_purged(source.name, found, known, refused)
        stuck = found.more and not scan.changes and dict(found.cursor) == dict(cursor)
        if not stuck or asked is None or step is None:
            return scan
        # A folder finds what was purged at every look: a step of such files alone would come again for ever.
        asked += step


def without_purged(source: str, scan: Scan, known: Mapping[str, str], refused: Refused) -> Scan:
    changes: list[Change] = []
    skipped = {one.path: one for one in scan.skipped}
    for change in scan.changes:
        since = None if change.operation == "remove" else refused.since(source, change.path, change.hash)
        if since is None:
            changes.append(change)
            continue
        skipped[change.path] = Skipped(change.path, f"purged on {since:%Y-%m-%d}", group="purged")
        left = [path for path in (change.path, change.old_path) if path is not None and path in known]
        changes += [Change("remove", path) for path in left]
    ordered = tuple(sorted(changes, key=lambda change: change.path))
    return replace(scan, changes=ordered, skipped=tuple(skipped[path] for path in sorted(skipped)))
