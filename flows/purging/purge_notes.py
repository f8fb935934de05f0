"""What a purge noted to search for. It outlives a kill: afterwards nobody else knows what was there."""

from pathlib import Path

from indexers.storage.durable import disk_errors, replace_file, sync_folder
from vouch.documents.fingerprints import Fingerprints
from vouch.errors import Damaged

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

    def write(self, traces: Fingerprints) -> None:
        self._drop_drafts()
        replace_file(self.path, traces.to_json().encode())

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
