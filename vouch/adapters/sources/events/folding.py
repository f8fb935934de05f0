"""Folds a run of events into net changes: what a reader of the result alone would see."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from vouch.adapters.parsers.registry import unread_kind
from vouch.adapters.sources.events.file import Event
from vouch.adapters.sources.folder.skipping import skipped
from vouch.documents.document import Change, Operation, Skipped


@dataclass(frozen=True, slots=True)
class _Standing:
    """What stands at a path now, and at which known path it stood before (None: it is new)."""

    hash: str
    size: int
    moment: datetime | None
    origin: str | None


class Fold:
    """A state known as path → hash, and what the events since then made of it.

    `content` is for events whose `hash` is another name of their content: it
    gives sha256 and size, and is called only for what is left standing.
    """

    def __init__(
        self, known: Mapping[str, str], content: Callable[[str], tuple[str, int]] | None = None
    ) -> None:
        self._known = known
        self._content = content
        self._now: dict[str, _Standing | None] = {}     # touched paths only
        self._skipped: dict[str, str] = {}

    def apply(self, events: Iterable[Event]) -> "Fold":
        for event in events:
            moved = self._take(event.old_path) if event.old_path is not None else None
            reason = event.refused or unread_kind(event.path)
            self._skipped.pop(event.path, None)
            if event.operation == "delete":
                self._take(event.path)
            elif reason:
                self._take(event.path)
                self._skipped[event.path] = reason
            elif event.hash is not None:
                before = moved or self._standing(event.path)
                origin = before.origin if before else None
                self._now[event.path] = _Standing(event.hash, event.size, event.moment, origin)
            elif moved is not None:
                self._now[event.path] = _Standing(moved.hash, moved.size, event.moment, moved.origin)
            else:
                self._skipped[event.path] = f"renamed without text from {event.old_path}, which is not there"
        return self

    def changes(self) -> tuple[Change, ...]:
        """In order of path. A removal that another change names as its `old_path` is not listed."""
        standing = [(path, self._named(now)) for path, now in self._now.items() if now]
        made = [change for path, now in standing if (change := self._made(path, now))]
        moved = {change.old_path for change in made}
        gone = [path for path, now in self._now.items() if now is None and path in self._known and path not in moved]
        return tuple(sorted([*made, *(Change("remove", path) for path in gone)], key=lambda change: change.path))

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(skipped(path, self._skipped[path]) for path in sorted(self._skipped))

    def _named(self, now: _Standing) -> _Standing:
        if self._content is None:
            return now
        digest, size = self._content(now.hash)
        return replace(now, hash=digest, size=size)

    def _made(self, path: str, now: _Standing) -> Change | None:
        if path in self._known:
            if self._known[path] == now.hash:
                return None
            return Change("upsert", path, now.hash, now.size, now.moment)
        origin = now.origin
        if origin is None or self._standing(origin) is not None:
            return Change("upsert", path, now.hash, now.size, now.moment)
        operation: Operation = "rename" if self._known[origin] == now.hash else "upsert"
        return Change(operation, path, now.hash, now.size, now.moment, origin)

    def _standing(self, path: str) -> _Standing | None:
        if path in self._now:
            return self._now[path]
        return _Standing(self._known[path], 0, None, path) if path in self._known else None

    def _take(self, path: str) -> _Standing | None:
        standing = self._standing(path)
        if standing is not None:
            self._now[path] = None
        return standing
