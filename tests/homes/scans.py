"""What a scan says, and what is known after it."""

import hashlib
from collections.abc import Mapping

from vouch.documents.document import Change
from vouch.ports.ingestion import Scan


def sha(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def brief(scan: Scan) -> list[tuple[str, str, str | None]]:
    return [(c.operation, c.path, c.old_path) for c in scan.changes]


def apply(known: Mapping[str, str], changes: tuple[Change, ...]) -> dict[str, str]:
    """What a version knows after the changes: everything leaves its old place before anything arrives.

    Whatever leaves must have been there.
    """
    state = dict(known)
    for change in changes:
        assert change.old_path is None or change.old_path in state
        assert change.operation != "remove" or change.path in state
        state.pop(change.old_path or change.path, None)
    return state | {c.path: c.hash for c in changes if c.operation != "remove"}
