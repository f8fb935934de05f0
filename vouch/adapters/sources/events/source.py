"""A file of change events as a source: runs of events folded into net changes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from vouch.adapters.parsers.registry import too_large, unread_kind
from vouch.adapters.sources.events.file import Event, EventsFile, file_state
from vouch.adapters.sources.folder.patterns import skipped
from vouch.documents.document import Change, Content, Operation, Skipped
from vouch.errors import BadInput, Unavailable
from vouch.ports.ingestion import Scan


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


class EventsSource:
    """Documents as the events leave them. The file may grow; what was read of it may not change."""

    def __init__(self, name: str, path: Path, max_bytes: int) -> None:
        self._name = name
        self._path = path
        self._max_bytes = max_bytes
        self._file: EventsFile | None = None

    @property
    def name(self) -> str:
        return self._name

    def scan(
        self,
        known: Mapping[str, str],
        cursor: Mapping[str, Any],
        *,
        step: int | None = None,
        until: int | None = None,
        paths: Sequence[str] | None = None,
    ) -> Scan:
        file = self._read()
        done = self._done(file, cursor)
        last = len(file.events) if until is None else max(done, min(until, len(file.events)))
        end = last if step is None else self._whole_commit(file, min(done + step, last), last)
        fold = Fold(known).apply(file.events[done:end])
        changes = fold.changes()
        touched = {path for change in changes for path in (change.path, change.old_path)}
        unchanged = sum(path not in touched for path in known)
        next_cursor = {"events": end, "prefix": file.prefix[end]}
        return Scan(changes, fold.skipped, next_cursor, unchanged, end < last, whole=end == len(file.events))

    def skipped(self) -> tuple[Skipped, ...]:
        return Fold({}).apply(self._read().events).skipped

    def load(self, change: Change) -> Content:
        if change.size > self._max_bytes:
            raise too_large(self._max_bytes)
        data = self._read().text(change.hash)
        if data is None:
            raise Unavailable(f"{self._path} no longer holds the text of {change.path}", cure="run again")
        if len(data) > self._max_bytes:
            raise too_large(self._max_bytes)
        return Content(change.path, data, change.hash, change.changed_at)

    def _read(self) -> EventsFile:
        """The file as it is now, decoded anew only if it changed."""
        try:
            state = file_state(self._path.stat())
        except OSError as error:
            cure = "bring it back; if it moved: vouch source set; if it is gone for good: vouch source remove"
            raise Unavailable(f"{self._path} cannot be read: {error.strerror}", cure=cure) from error
        if self._file is None or self._file.state != state:
            self._file = EventsFile(self._path)
        return self._file

    def _done(self, file: EventsFile, cursor: Mapping[str, Any]) -> int:
        done = int(cursor.get("events", 0))
        if done > len(file.events) or cursor.get("prefix", file.prefix[done]) != file.prefix[done]:
            raise BadInput(
                f"{self._path} was replaced: its first {done} events are not those already ingested",
                cure="put the old file back, or add the new one under another name and remove this source",
            )
        return done

    @staticmethod
    def _whole_commit(file: EventsFile, end: int, last: int) -> int:
        while 0 < end < last and file.events[end].commit == file.events[end - 1].commit:
            end += 1
        return end
