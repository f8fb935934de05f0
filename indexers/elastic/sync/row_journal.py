"""What Elasticsearch holds of each segment in each index: the label of every row, noted in the home folder.

A note never says more than is certain. Before rows are sent they are noted as
UNSURE, or COMING if they were not there, and with their label only after the
server has acknowledged and refreshed them. A note that cannot be read says
that nothing is there.

Requests that were given up may still arrive. So rows are created but never
overwritten, and each labeling has a turn: it leaves rows of later ones alone.
"""

import contextlib
import fcntl
import json
import os
import re
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexers.storage import disk_errors, make_folder, sync_folder

UNSURE = -1                             # there, with an old or a new label
COMING = -2                             # perhaps there
MISSING = -3                            # not there
_NAME = re.compile(r"([0-9a-f]{32})\.[0-9a-f]{12}")
Stamp = tuple[int, ...]
_NEVER: Stamp = ()


@dataclass(frozen=True, eq=False)
class JournalEntry:
    """Per row of one segment the number of its label, or one of the states above; `turn` is the last one begun."""

    labels: tuple[str, ...]
    of_row: NDArray[np.int32]
    turn: int = 0

    def at_next_turn(self) -> "JournalEntry":
        """Its turn is later than any before, as a rule also where notes were lost: it is the time, if that goes on."""
        return replace(self, turn=max(self.turn + 1, time.time_ns() // 1_000_000))

    def numbered(self, labels: Sequence[str]) -> tuple["JournalEntry", NDArray[np.int32]]:
        """The same note with `labels` known to it, and the number it gives each."""
        known = {label: n for n, label in enumerate(self.labels)}
        numbers = np.array([known.setdefault(label, len(known)) for label in labels], np.int32)
        return replace(self, labels=tuple(known)), numbers

    def with_rows(self, rows: NDArray[np.int64], states: NDArray[np.int32] | int) -> "JournalEntry":
        changed = self.of_row.copy()
        changed[rows] = states
        return replace(self, of_row=changed)

    def counts(self) -> dict[str, int]:
        """How many rows are there for certain, by label."""
        count = np.bincount(self.of_row[self.of_row >= 0], minlength=len(self.labels))
        return {label: int(n) for label, n in zip(self.labels, count, strict=False) if n}


class RowJournal:
    """The notes of one home. Safe to share between threads and processes."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "lexical"
        self._lock = threading.Lock()
        self._read: dict[str, tuple[Stamp, JournalEntry]] = {}

    @property
    def home_id(self) -> str:
        """A random name of this home, given once."""
        path = self._folder / "id"
        with disk_errors(path):
            if not path.exists():
                make_folder(self._folder)
                temporary = path.with_name(f"id.{uuid.uuid4().hex}.tmp")
                temporary.write_text(uuid.uuid4().hex, "ascii")
                with contextlib.suppress(FileExistsError):
                    os.link(temporary, path)
                temporary.unlink()
                sync_folder(self._folder)
            return path.read_text("ascii")

    def stamp(self, names: Sequence[str]) -> tuple[Stamp, ...]:
        """Another one after any of the notes was written."""
        return tuple(self._stamp(name) for name in names)

    def read(self, name: str, rows: int) -> JournalEntry:
        stamp = self._stamp(name)
        with self._lock:
            held = self._read.get(name)
        if held is not None and held[0] == stamp and len(held[1].of_row) == rows:
            return held[1]
        note = _decoded(self._bytes(name), rows) or JournalEntry((), np.full(rows, MISSING, np.int32))
        if self._stamp(name) == stamp:
            with self._lock:
                self._read[name] = (stamp, note)
        return note

    def write(self, name: str, note: JournalEntry) -> None:
        """The note, durably. To be called under `sole`."""
        path = self._path(name)
        head = json.dumps({"labels": note.labels, "rows": len(note.of_row), "turn": note.turn}).encode()
        with disk_errors(path):
            before = self._stamp(name)
            temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
            with temporary.open("wb") as file:
                file.write(head + b"\n" + note.of_row.astype("<i4").tobytes())
                file.flush()
                os.fsync(file.fileno())
            now = temporary.stat().st_mtime_ns
            if before and now <= before[0]:             # so that no two notes have one stamp, however coarse the clock
                os.utime(temporary, ns=(before[0] + 1, before[0] + 1))
            temporary.replace(path)
            sync_folder(self._folder)

    @contextlib.contextmanager
    def sole(self, name: str) -> Iterator[None]:
        """Nobody else writes this note during the block; of other segments they do."""
        with disk_errors(self._folder):
            make_folder(self._folder)
            with (self._folder / f"{name}.lock").open("a") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield

    def names(self) -> list[tuple[str, str]]:
        """The notes there are, each after its segment."""
        stems = [path.stem for path in self._folder.glob("*.labels")] if self._folder.is_dir() else []
        return sorted((match[1], stem) for stem in stems if (match := _NAME.fullmatch(stem)))

    def forget(self, name: str) -> None:
        with disk_errors(self._folder):
            for suffix in ("labels", "lock"):
                (self._folder / f"{name}.{suffix}").unlink(missing_ok=True)
        with self._lock:
            self._read.pop(name, None)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.labels"

    def _bytes(self, name: str) -> bytes:
        try:
            return self._path(name).read_bytes()
        except OSError:
            return b""

    def _stamp(self, name: str) -> Stamp:
        try:
            found = self._path(name).stat()
        except OSError:
            return _NEVER
        return found.st_mtime_ns, found.st_size, found.st_ino


def _decoded(data: bytes, rows: int) -> JournalEntry | None:
    """None unless it is a whole note of that many rows."""
    head, _, body = data.partition(b"\n")
    try:
        header = json.loads(head)
        labels, of_row = tuple(map(str, header["labels"])), np.frombuffer(body, "<i4").astype(np.int32)
        note = JournalEntry(labels, of_row, int(header["turn"]))
    except (ValueError, KeyError, TypeError):
        return None
    sound = header["rows"] == rows == len(note.of_row)
    inside = not rows or (int(note.of_row.min()) >= MISSING and int(note.of_row.max()) < len(note.labels))
    return note if sound and inside else None
