"""A file of change events, one JSON object a line, plain or gzip, decoded once and looked into many times."""

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from vouch.adapters.filesystem.foreign_files import NotRegular, open_regular
from vouch.broken import broken
from vouch.errors import BadInput, Unavailable

OPERATIONS = frozenset(("snapshot", "add", "modify", "delete", "rename"))
_LONGEST_LINE = 256 * 1024 * 1024
_LARGEST = 8 * 1024 * 1024 * 1024   # decoded: a small gzip file can hold without end
_IN_MEMORY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Event:
    """One line. `hash` and `size` are of its text in UTF-8; None if the line has no text.

    `refused`: why what stands at `path` afterwards is no document, besides its name.
    """

    commit: str
    operation: str
    path: str
    old_path: str | None
    hash: str | None
    size: int
    moment: datetime | None
    refused: str = ""


class EventsFile:
    """The events of one state of a file; `prefix[n]` is a digest of its first n lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - lives as long
        self._texts: dict[str, tuple[int, int]] = {}
        self.events: list[Event] = []
        self.prefix: list[str] = [""]
        try:
            with open_regular(path, follow=True) as handle:
                self.state = file_state(os.fstat(handle))
                with os.fdopen(os.dup(handle), "rb") as file:
                    self._read(file)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BadInput(f"{path} is not complete gzip data: {broken(error)}", cure="copy it again") from error
        except NotRegular as error:
            raise BadInput(f"{path} is not a file", cure="name a file of change events") from error
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {error.strerror or error}", cure="bring it back") from error

    def text(self, digest: str) -> bytes | None:
        """The bytes with this hash, if any line holds them."""
        place = self._texts.get(digest)
        if place is None:
            return None
        self._store.seek(place[0])
        return self._store.read(place[1])

    def _read(self, file: IO[bytes]) -> None:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        chain, end = hashlib.sha256(), 0
        lines = gzip.GzipFile(fileobj=file) if packed else file
        for line in _lines(lines, self._path):
            number = len(self.events) + 1
            try:
                event, data = _event(line)
            except (ValueError, TypeError, RecursionError) as error:
                reason = broken(error) or " ".join(str(error).split())[:200]
                raise BadInput(f"{self._path}, line {number}: {reason}", cure="fix or remove that line") from error
            if data is not None and event.hash is not None and event.hash not in self._texts:
                self._texts[event.hash] = (end, len(data))
                end += self._store.write(data)
            chain.update(hashlib.sha256(line.rstrip(b"\r\n")).digest())
            self.events.append(event)
            self.prefix.append(chain.hexdigest()[:16])


def file_state(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _lines(file: IO[bytes] | gzip.GzipFile, path: Path) -> Iterator[bytes]:
    total = 0
    while line := file.readline(_LONGEST_LINE):
        total += len(line)
        if len(line) == _LONGEST_LINE or total > _LARGEST:
            raise BadInput(f"{path} is too large, or one of its lines is", cure="split it into several sources")
        yield line


def _event(line: bytes) -> tuple[Event, bytes | None]:
    """Raises ValueError saying what is wrong with the line."""
    row = json.loads(line.decode("utf-8"))
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    operation = row.get("op")
    if operation not in OPERATIONS:
        raise ValueError(f"op is {operation!r}, not one of {', '.join(sorted(OPERATIONS))}")
    text = row.get("text")
    if text is not None and not isinstance(text, str):
        raise ValueError("text is not text")
    if text is None and operation in ("snapshot", "add", "modify"):
        raise ValueError(f"{operation} without text")
    data = None if text is None else text.encode()
    event = Event(
        commit=str(row.get("commit", "")),
        operation=operation,
        path=_path(row, "path"),
        old_path=_path(row, "old_path") if operation == "rename" else None,
        hash=None if data is None else hashlib.sha256(data).hexdigest(),
        size=0 if data is None else len(data),
        moment=_moment(row.get("date")),
    )
    return event, data


def _path(row: dict[str, Any], key: str) -> str:
    path = row.get(key)
    if not isinstance(path, str) or "\0" in path or {"", ".", ".."} & set(path.split("/")):
        raise ValueError(f"{key} is {path!r}, not a relative path")
    path.encode()
    return path


def _moment(date: Any) -> datetime | None:
    if date is None or date == "":
        return None
    if not isinstance(date, str):
        raise ValueError(f"date is {date!r}, not text")
    try:
        moment = datetime.fromisoformat(date)
    except ValueError as error:
        raise ValueError(f"date is {date[:40]!r}, not a date and time such as 2026-01-31T09:00:00Z") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
