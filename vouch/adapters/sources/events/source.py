"""A file of change events as a source. The cursor says how many of its lines are done."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vouch.adapters.parsers.registry import too_large
from vouch.adapters.sources.events.file import EventsFile, file_state
from vouch.adapters.sources.events.folding import Fold
from vouch.documents.document import Change, Content, Skipped
from vouch.errors import BadInput, Unavailable
from vouch.ports.source import Scan


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
