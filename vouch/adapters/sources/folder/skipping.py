"""How what a source does not read is told, and what it is counted under."""

from pathlib import PurePosixPath

from vouch.adapters.filesystem.path_names import odd_name, shown_name
from vouch.adapters.parsers.registry import unread_kind
from vouch.documents.document import Skipped

EXCLUDED = "excluded"


def skipped(path: str, reason: str, group: str = "") -> Skipped:
    """Without a `group`: files of a kind that is not read count under their suffix."""
    if not group and reason == unread_kind(path) and not odd_name(path):
        group = PurePosixPath(path).suffix.lower() or "without a suffix"
    return Skipped(shown_name(path), reason, group=group or "other")
