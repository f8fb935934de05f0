"""What a training searched, kept until it is registered: one that was killed goes on where it was.

HOME/training-searches holds one file for each kind of question, for the owner
of the home alone: ids of passages and numbers, no text. Its first line says
what the searches were made with; whatever differs, and the file begins anew.
Each further line is one search with its digest, so what a kill tore is seen.
Every purge deletes the files, and a training that runs meanwhile writes into
files that nobody can find any more.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from flows.shared.home_files.folders import SEARCHES, refuse_links, report_folder
from indexers.storage import disk_errors
from vouch.retrieval.fusion_features import FEATURE_SCHEMA

T = TypeVar("T")
ROOM = 256 << 20                        # bytes of a file; what comes later is not kept
RESUMING = "resuming"
_DIGEST = 32
Stamp = Callable[[], str]
"""What an audience is searched with at this moment: equal only if nothing of that has changed between."""


class Searches:
    """Nothing is kept: each is made anew."""

    stage = "search"

    def value(
        self, name: str, stamp: Stamp, make: Callable[[], T], pack: Callable[[T], Any], unpack: Callable[[Any], T]
    ) -> T:
        """What was kept under this name and stamp; otherwise what `make` gives, which is kept if the stamp holds."""
        return make()


class KeptSearches(Searches):
    """Values by name, in one open file; written as they come."""

    def __init__(self, handle: int, key: str, asked: int, room: int) -> None:
        self._handle, self._room = handle, room
        self._places: dict[str, tuple[int, int]] = {}
        self._end = self._look(f"{key}\n".encode())
        if self._places:
            self.stage = f"{RESUMING}: {len(self._places)} of {asked} questions were searched before"

    def value(
        self, name: str, stamp: Stamp, make: Callable[[], T], pack: Callable[[T], Any], unpack: Callable[[Any], T]
    ) -> T:
        before = stamp()
        known = _digest(f"{name} {before}".encode())
        if known in self._places:
            start, size = self._places[known]
            return unpack(json.loads(os.pread(self._handle, size, start)))
        result = make()
        if stamp() == before:
            self._keep(known.encode(), json.dumps(pack(result), separators=(",", ":")).encode())
        return result

    def _keep(self, name: bytes, data: bytes) -> None:
        line = b" ".join((_digest(name + data).encode(), name, data)) + b"\n"
        if self._end + len(line) <= self._room and os.pwrite(self._handle, line, self._end) == len(line):
            self._note(name, len(line))

    def _note(self, name: bytes, length: int) -> None:
        before = 2 * (_DIGEST + 1)
        self._places[name.decode()] = self._end + before, length - before - 1
        self._end += length

    def _look(self, first: bytes) -> int:
        """Where the next line belongs: after those that are whole, of a file that begins as this one does."""
        with os.fdopen(os.dup(self._handle), "rb") as lines:
            self._end = len(first)
            if lines.readline(len(first)) != first:
                os.ftruncate(self._handle, 0)
                os.pwrite(self._handle, first, 0)
                return self._end
            for line in lines:
                digest, name, data = line[:_DIGEST], line[_DIGEST + 1 : 2 * _DIGEST + 1], line[2 * _DIGEST + 2 : -1]
                if line[-1:] != b"\n" or _digest(name + data).encode() != digest:
                    break
                self._note(name, len(line))
        os.ftruncate(self._handle, self._end)
        return self._end


class Keeper:
    """Of trainings that are not kept."""

    @contextmanager
    def of(self, kind: str, asked: Sequence[str], stamp: Stamp) -> Iterator[Searches]:
        """The searches of these questions, all of them. Raises Damaged for a link, Unavailable."""
        yield Searches()


@dataclass(frozen=True)
class HomeKeeper(Keeper):
    """`made_with` names the encoder, the settings and whatever else decides what is found."""

    home: Path
    made_with: Callable[[], str]
    room: int = ROOM

    @contextmanager
    def of(self, kind: str, asked: Sequence[str], stamp: Stamp) -> Iterator[Searches]:
        if not asked:
            yield Searches()
            return
        key = _digest(json.dumps([FEATURE_SCHEMA, self.made_with(), stamp(), *sorted(asked)]).encode())
        refuse_links(self.home)
        path = report_folder(self.home, SEARCHES) / kind
        with disk_errors(path):
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            os.fchmod(handle, 0o600)
        try:
            yield KeptSearches(handle, key, len(asked), self.room)
        finally:
            os.close(handle)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGEST]
