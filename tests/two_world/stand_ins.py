"""Small real machines for tests: version numbers in memory, fixed permissions, an encoder made of hashes."""

import hashlib
import pickle
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import numpy as np

from indexers.segments.segment import input_key
from vouch.access import Permissions
from vouch.errors import Conflict, NotFound, Usage
from vouch.ports.stores import Restored, VersionRow


class MemoryVersions:
    """A VersionStore that forgets everything at exit, and that no rollback holds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[int, VersionRow] = {}
        self._current: int | None = None

    def allocate(self, parent: int | None) -> VersionRow:
        with self._lock:
            row = VersionRow(len(self._rows) + 1, parent, "building", datetime.now(UTC))
            self._rows[row.number] = row
            return row

    def current(self) -> int | None:
        return self._current

    def swap(
        self, expected: int | None, new: int, *, despite_hold: bool = False, restored: Restored | None = None
    ) -> None:
        with self._lock:
            if new not in self._rows:
                raise NotFound(f"version {new} was never allocated")
            if self._rows[new].state in ("abandoned", "retired"):
                raise Usage(f"version {new} is {self._rows[new].state}")
            if self._current != expected:
                raise Conflict(f"the current version is {self._current}, not {expected}")
            of = self._age(expected)
            if restored is not None:
                of = {"": restored.content_of, **self._age(restored.content_of)}
            self._rows[new] = replace(self._rows[new], content_of=of)
            self._set(new, "published")
            self._current = new

    def roll_back(self, expected: int | None, new: int, restored: Restored) -> None:
        self.swap(expected, new, restored=restored)

    def abandon(self, number: int) -> None:
        self._give_up(number, "abandoned", ("building", "abandoned"))

    def retire(self, number: int) -> None:
        if number == self._current:
            raise Usage(f"version {number} is the current one")
        self._give_up(number, "retired", ("published", "retired"))

    def _give_up(self, number: int, state: str, allowed: tuple[str, ...]) -> None:
        with self._lock:
            if number not in self._rows:
                raise NotFound(f"version {number} was never allocated")
            if self._rows[number].state not in allowed:
                raise Usage(f"version {number} is {self._rows[number].state}")
            self._set(number, state)

    def former_rules(self, number: int) -> dict[str, None]:
        """Rules are no business of this store."""
        return {}

    def rows(self) -> list[VersionRow]:
        return [self._rows[n] for n in sorted(self._rows)]

    def _set(self, number: int, state: str) -> None:
        self._rows[number] = replace(self._rows[number], state=state)

    def _age(self, number: int | None) -> dict[str, int]:
        return dict(self._rows[number].content_of) if number in self._rows else {}


class FileVersions(MemoryVersions):
    """A VersionStore that survives its process, for tests that kill one. One process at a time."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        if path.exists():
            self._rows, self._current = pickle.loads(path.read_bytes())

    def allocate(self, parent: int | None) -> VersionRow:
        row = super().allocate(parent)
        self._keep(self._current)
        return row

    def _set(self, number: int, state: str) -> None:
        super()._set(number, state)
        self._keep(number if state == "published" else self._current)

    def _keep(self, current: int | None) -> None:
        temporary = self._path.with_suffix(".new")
        temporary.write_bytes(pickle.dumps((self._rows, current)))
        temporary.rename(self._path)    # not `replace`, which kill tests count


@dataclass
class FixedPermissions:
    """A PermissionStore that a test sets."""

    held: Permissions

    def permissions(self) -> Permissions:
        return self.held


class HashEncoder:
    """Sums a fixed random vector per word, so texts that share words are near. No text sees its neighbors."""

    fingerprint = "hashes:1"

    def __init__(self, dimensions: int = 16) -> None:
        self.dimensions = dimensions
        self.encoded = 0

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += len(texts)
        return np.array([_hashed(t, self.dimensions) for t in texts], np.float32).reshape(-1, self.dimensions)

    questions = passages


class MemoryVectors:
    """Vectors by key for the records a test publishes; encodes what is new."""

    def __init__(self, encoder: HashEncoder) -> None:
        self._encoder = encoder
        self._texts: dict[bytes, str] = {}
        self._known: dict[bytes, np.ndarray] = {}

    def learn(self, texts: Sequence[str]) -> None:
        self._texts.update((input_key(text), text) for text in texts)

    def get(self, keys: Sequence[bytes]) -> np.ndarray:
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        rows = self._encoder.passages([self._texts[key] for key in new])
        self._known.update(zip(new, rows.astype(np.float16), strict=True))
        return np.array([self._known[key] for key in keys], np.float16).reshape(-1, self._encoder.dimensions)


def _hashed(text: str, dimensions: int) -> np.ndarray:
    total = sum((_word(w, dimensions) for w in text.lower().split()), np.zeros(dimensions))
    length = float(np.sqrt(np.sum(total * total)))
    return (total / length if length else np.eye(1, dimensions)[0]).astype(np.float32)


@lru_cache(maxsize=10_000)
def _word(word: str, dimensions: int) -> np.ndarray:
    raw = hashlib.sha256(word.encode()).digest() * (dimensions // 32 + 1)
    return np.frombuffer(raw[:dimensions], np.uint8).astype(np.float64) - 127.5
