"""What is noted of purges: what to search for, and what must not come back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from indexers.storage import disk_errors, replace_file, sync_folder
from vouch.adapters.ledger import Refused
from vouch.documents.document import Change, Skipped
from vouch.documents.fingerprints import Fingerprints
from vouch.errors import Damaged
from vouch.ports.ingestion import Scan, Source

_NAME = "purge.notes"


class PurgeNotes:
    """One file in the home, of all purges that are not finished."""

    def __init__(self, home: Path) -> None:
        self.path = home / _NAME

    def read(self) -> Fingerprints:
        """Raises Damaged if the file is not what was written."""
        try:
            return Fingerprints.from_json(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return Fingerprints()
        except (OSError, ValueError, KeyError, TypeError) as error:
            cure = "restore it; or delete it, and what only it knew is not searched for"
            raise Damaged(f"{self.path} cannot be read: {type(error).__name__}", cure=cure) from error

    def write(self, fingerprints: Fingerprints) -> None:
        self._drop_drafts()
        replace_file(self.path, fingerprints.to_json().encode())

    def delete(self) -> None:
        """Durably."""
        self._drop_drafts()
        with disk_errors(self.path):
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)

    def _drop_drafts(self) -> None:
        """What a killed purge did not finish writing."""
        with disk_errors(self.path):
            for draft in self.path.parent.glob(f"{_NAME}.*.tmp"):
                draft.unlink()


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
        full_scan = source.scan(known, cursor, step=asked, until=until, paths=paths)
        scan = without_purged(source.name, full_scan, known, refused)
        stuck = full_scan.more and not scan.changes and dict(full_scan.cursor) == dict(cursor)
        if not stuck or asked is None or step is None:
            return scan
        # A folder finds what was purged at every look: a step of such files alone would come again for ever.
        asked += step


def without_purged(source: str, scan: Scan, known: Mapping[str, str], refused: Refused) -> Scan:
    changes: list[Change] = []
    skipped = {file.path: file for file in scan.skipped}
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
