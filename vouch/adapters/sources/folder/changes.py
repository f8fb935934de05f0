"""How a folder differs from what is known of it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from vouch.adapters.sources.folder.walk import Seen
from vouch.documents.document import Change, Operation


def changes_of(
    known: Mapping[str, str], states: Mapping[str, str], documents: Mapping[str, Seen], unread: Collection[str]
) -> list[Change]:
    """What differs between two states of a folder, both path → hash; nothing is paired by a hash in `unread`."""
    gone = [p for p in sorted(known) if p not in states and known[p] not in unread]
    old_paths = _pair(known, gone, {p: h for p, h in states.items() if p not in known})
    moved = set(old_paths.values())
    changes = [Change("remove", path) for path in known if path not in states and path not in moved]
    for path, digest in states.items():
        if known.get(path) != digest:
            changes.append(_upsert(path, digest, documents.get(path), old_paths.get(path)))
    return sorted(changes, key=lambda change: change.path)


def untouched(known: Mapping[str, str], changes: Sequence[Change]) -> int:
    touched = {path for change in changes for path in (change.path, change.old_path)}
    return sum(path not in touched for path in known)


def _pair(known: Mapping[str, str], gone: Sequence[str], new: Mapping[str, str]) -> dict[str, str]:
    """New path → the gone path it was, where the bytes are equal; several of the same are paired in order."""
    homeless: dict[str, list[str]] = defaultdict(list)
    for path in gone:
        homeless[known[path]].append(path)
    pairs: dict[str, str] = {}
    for path in sorted(new):
        if homeless[new[path]]:
            pairs[path] = homeless[new[path]].pop(0)
    return pairs


def _upsert(path: str, digest: str, seen: Seen | None, old_path: str | None = None) -> Change:
    operation: Operation = "rename" if old_path is not None else "upsert"
    return Change(operation, path, digest, seen.size if seen else 0, moment_of(seen), old_path)


def moment_of(seen: Seen | None) -> datetime | None:
    return datetime.fromtimestamp(seen.modified / 1e9, UTC) if seen else None
