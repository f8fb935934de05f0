"""Traces of a document in bytes, in every form that files hold them in.

Each needle gives eight of its bytes to a table; one pass compares every
place of the data with that table and looks closer only where it may match.
"""

import copy
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.documents.fingerprints import Fingerprints

_WINDOW = 8
_BITS = 22                              # of the table at least: 4 MB
_SPARSE = 5                             # further bits than it takes to count the needles: few places match by chance
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_LOOKED = 24                            # bytes of a needle among which the telling ones are looked for
_VECTOR_PIECE = 48                      # bytes; a database may keep a long value in two places
_DISTINCT = 12                          # bytes of a vector's piece that differ, or it is no fingerprint of anything


@dataclass(frozen=True, slots=True)
class BytePattern:
    """`kind` is text, id, key or vector; `of` is the piece, id or key it is a form of."""

    kind: str
    of: str | bytes


class Matcher:
    """Knows which of its needles stand in some bytes. Threads may share it."""

    def __init__(self, needles: dict[bytes, BytePattern]) -> None:
        """Each needle is at least eight bytes long."""
        self._needles = needles
        self._by_window: dict[int, list[tuple[bytes, int]]] = defaultdict(list)
        for needle in needles:
            offset = _telling(needle)
            window = int.from_bytes(needle[offset : offset + _WINDOW], "little")
            self._by_window[window].append((needle, offset))
        self._windows = np.array(sorted(self._by_window), np.uint64)
        bits = max(_BITS, len(self._windows).bit_length() + _SPARSE)
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << bits, np.bool_)
        self._table[self._slot(self._windows)] = True
        self.longest = max(map(len, needles), default=0)

    def __bool__(self) -> bool:
        return bool(self._needles)

    def find(self, data: bytes | memoryview) -> set[bytes]:
        """The needles that stand in `data`."""
        hits: set[bytes] = set()
        for shift in range(_WINDOW if self._needles else 0):
            count = (len(data) - shift) // _WINDOW
            if count < 1:
                break
            values: NDArray[np.uint64] = np.frombuffer(data, "<u8", count, shift)
            maybe = np.flatnonzero(self._table[self._slot(values)])
            for at in maybe[np.isin(values[maybe], self._windows)].tolist():
                for needle, offset in self._by_window[int(values[at])]:
                    start = shift + _WINDOW * at - offset
                    if start < 0 or needle not in self._needles:
                        continue
                    if data[start : start + len(needle)] == needle:
                        hits.add(needle)
        return hits

    def without(self, pieces: Collection[str]) -> "Matcher":
        """The same without the needles of these pieces of text. The tables are shared: they take long to make."""
        fewer = copy.copy(self)
        fewer._needles = {
            needle: of for needle, of in self._needles.items() if of.kind != "text" or of.of not in pieces
        }
        return fewer

    def _slot(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        spread: NDArray[np.uint64] = (values * _SPREAD) >> self._shift
        return spread

    def kinds(self, found: Iterable[bytes]) -> dict[str, int]:
        """How many different fingerprints of each kind the needles `found` are."""
        fingerprints: dict[str, set[Any]] = defaultdict(set)
        for needle in found:
            fingerprints[self._needles[needle].kind].add(self._needles[needle].of)
        return {kind: len(held) for kind, held in sorted(fingerprints.items())}

    def origins(self, found: Iterable[bytes]) -> set[str | bytes]:
        return {self._needles[needle].of for needle in found}


def matcher_of(fingerprints: Fingerprints) -> Matcher:
    """Finds the fingerprints as plain, JSON-escaped and UTF-16 text, as bytes and as hexadecimal digits."""
    needles: dict[bytes, BytePattern] = {}
    for piece in fingerprints.pieces:
        needles.update(dict.fromkeys(text_forms(piece), BytePattern("text", piece)))
    for chunk_id in fingerprints.ids:
        needles.update((form, BytePattern("id", chunk_id)) for form in (chunk_id.encode(), bytes.fromhex(chunk_id)))
    for key in fingerprints.keys:
        needles.update((form, BytePattern("key", key)) for form in (key, key.hex().encode()))
    for vector in fingerprints.vectors:
        needles.update((form, BytePattern("vector", vector)) for form in _vector_forms(vector))
    return Matcher(needles)


def text_forms(text: str) -> set[bytes]:
    """`text` in UTF-8, in JSON with and without ASCII escapes, in JSON within JSON, and in UTF-16."""
    plain, ascii_ = json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]
    twice = json.dumps(plain, ensure_ascii=False)[1:-1], json.dumps(ascii_)[1:-1]
    forms = {form.encode() for form in (text, plain, ascii_, *twice)}
    return forms | {text.encode("utf-16-le"), text.encode("utf-16-be")}


def _vector_forms(vector: bytes) -> Iterator[bytes]:
    for start in sorted({0, len(vector) // 2, max(len(vector) - _VECTOR_PIECE, 0)}):
        piece = vector[start : start + _VECTOR_PIECE]
        if len(set(piece)) >= _DISTINCT:
            yield piece


def _telling(needle: bytes) -> int:
    """Where the eight bytes begin that say most: the most different ones, so that blanks and zeros are passed over."""
    last = min(len(needle), _LOOKED) - _WINDOW
    return max(range(0, last + 1, 3), key=lambda at: len(set(needle[at : at + _WINDOW])))
