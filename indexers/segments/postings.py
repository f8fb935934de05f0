"""Posting lists of one segment with BM25 weights, and a term's share of the scores of visible rows.

The reference length is a constant, so all of BM25 but the idf can be stored
with the posting: weight = tf·(k1+1) / (tf + k1·(1 − b + b·dl/reference)).
Lengths are rounded as Lucene rounds them (SmallFloat.intToByte4), so that
Elasticsearch can give the very same scores.

A term that many rows hold is spread once over an array of all rows: adding
and counting then run through memory in order, five times faster.
"""

import mmap
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.storage import Folder, map_array, map_bytes, write_array
from vouch.retrieval.bm25 import K1, B

_EXACT = 24                             # Lucene keeps the first 24 lengths as they are, then four bits


@lru_cache(maxsize=4096)
def rounded_length(length: int) -> int:
    """`length` as Lucene remembers it in one byte: exact to 40, then its four leading bits."""
    rest = length - _EXACT
    shift = max(rest.bit_length() - 4, 0) if rest > 0 else 0
    return length if shift == 0 else _EXACT + (rest >> shift << shift)


@dataclass(frozen=True)
class Postings:
    """`rows[offsets[t]:offsets[t+1]]` hold term t; terms are sorted by their bytes and never empty lists."""

    blob: bytes | mmap.mmap
    ends: NDArray[np.int64]             # of term t in `blob`, with a leading 0
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    weights: NDArray[np.float32]

    def find(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """(rows, weights) of `term`, rows ascending; empty arrays if no row holds it."""
        wanted = term.encode()
        head = np.uint64(int.from_bytes(wanted[:8].ljust(8, b"\0"), "big"))
        low, high = (int(self._heads.searchsorted(head, side)) for side in ("left", "right"))
        end_of_equals = high
        while low < high:
            middle = (low + high) // 2
            if self.term(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        if low == end_of_equals or self.term(low) != wanted:
            return self.rows[:0], self.weights[:0]
        start, end = int(self.offsets[low]), int(self.offsets[low + 1])
        return self.rows[start:end], self.weights[start:end]

    @cached_property
    def _heads(self) -> NDArray[np.uint64]:
        """The first eight bytes of each term as a number, so that a look-up touches few terms."""
        blob = np.frombuffer(self.blob, np.uint8)
        heads = np.zeros(len(self.ends) - 1, np.uint64)
        for n in range(8):
            at = self.ends[:-1] + n
            letter = blob.take(at, mode="clip") if len(blob) else at
            heads = heads << np.uint64(8) | np.where(at < self.ends[1:], letter, 0).astype(np.uint64)
        return heads

    def term(self, number: int) -> bytes:
        return self.blob[int(self.ends[number]) : int(self.ends[number + 1])]

    def terms(self) -> list[bytes]:
        blob, ends = bytes(self.blob), self.ends.tolist()
        return [blob[a:b] for a, b in pairwise(ends)]


def make_postings(rows: Sequence[Sequence[str]], reference_length: float) -> Postings:
    """The posting lists of `rows`, each given by its terms."""
    numbers: dict[str, int] = {}
    term, frequency = array("q"), array("q")
    distinct: list[int] = []
    for terms in rows:
        counts = Counter(terms)
        distinct.append(len(counts))
        term.extend(numbers.setdefault(name, len(numbers)) for name in counts)
        frequency.extend(counts.values())
    lengths = np.array([rounded_length(len(terms)) for terms in rows], np.float64)
    row = np.repeat(np.arange(len(rows), dtype=np.int32), distinct)
    tf = np.array(frequency, np.float64)
    norm = K1 * (1 - B + B * lengths[row] / reference_length)
    weights = (tf * (K1 + 1) / (tf + norm)).astype(np.float32)
    return _sorted([name.encode() for name in numbers], np.array(term, np.int64), row, weights)


def merge_postings(sources: Sequence[tuple[Postings, NDArray[np.int32]]]) -> Postings:
    """One set of lists; each source comes with the new number of each of its rows, ascending, −1 to leave it out."""
    numbers: dict[bytes, int] = {}
    terms, rows, weights = [], [], []
    for postings, renumbered in sources:
        local = np.array([numbers.setdefault(name, len(numbers)) for name in postings.terms()], np.int64)
        row = renumbered[postings.rows]
        kept_mask = row >= 0
        terms.append(np.repeat(local, np.diff(postings.offsets))[kept_mask])
        rows.append(row[kept_mask])
        weights.append(postings.weights[kept_mask])
    return _sorted(list(numbers), np.concatenate(terms), np.concatenate(rows), np.concatenate(weights))


def _sorted(names: list[bytes], term: NDArray[np.int64], row: NDArray[np.int32], weights: Any) -> Postings:
    count = np.bincount(term, minlength=len(names))
    by_name = [n for n in sorted(range(len(names)), key=names.__getitem__) if count[n]]
    place = np.full(len(names), -1, np.int64)
    place[by_name] = np.arange(len(by_name))
    order = np.argsort(place[term], kind="stable")          # rows came in ascending order and stay so
    kept = [names[n] for n in by_name]
    ends = np.cumsum([0, *map(len, kept)], dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum(count[by_name]))).astype(np.int64)
    return Postings(b"".join(kept), ends, offsets, row[order], weights[order])


def write_postings(folder: Path, postings: Postings) -> None:
    (folder / "terms.bin").write_bytes(postings.blob)
    write_array(folder / "term_ends.i8", postings.ends)
    write_array(folder / "posting_offsets.i8", postings.offsets)
    write_array(folder / "posting_rows.i4", postings.rows)
    write_array(folder / "posting_weights.f4", postings.weights)


def read_postings(folder: Folder) -> Postings:
    """Opened by memory mapping; nothing is read until a term is looked up."""
    return Postings(
        map_bytes(folder.file("terms.bin")),
        map_array(folder.file("term_ends.i8")),
        map_array(folder.file("posting_offsets.i8")),
        map_array(folder.file("posting_rows.i4")),
        map_array(folder.file("posting_weights.f4")),
    )


_MANY = 4                               # a term is common when one row in so many holds it
_SPREAD = 64                            # common terms kept spread per segment, four bytes a row each


@dataclass(frozen=True, slots=True)
class RareTerm:
    """`rows` hold the term, with `weights`."""

    rows: NDArray[np.intp]
    weights: NDArray[np.float32]

    def frequency(self, visible: NDArray[np.bool_]) -> int:
        """How many of the visible rows hold the term."""
        return int(np.count_nonzero(visible.take(self.rows)))

    def add(self, idf: float, scores: NDArray[np.float64]) -> None:
        """Adds idf · weight, in float64, to the score of every row that holds the term."""
        np.add.at(scores, self.rows, np.multiply(self.weights, idf, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class CommonTerm:
    """Like RareTerm: `holders` is a bitmap of the rows that hold the term, `weights` has one number per row."""

    holders: NDArray[np.uint8]
    weights: NDArray[np.float32]

    def frequency(self, visible: NDArray[np.bool_]) -> int:
        return int(np.bitwise_count(self.holders & np.packbits(visible)).sum())

    def add(self, idf: float, scores: NDArray[np.float64]) -> None:
        scores += np.multiply(self.weights, idf, dtype=np.float64)


class TermScores:
    """The terms of a segment of `rows` rows, ready for scoring. Threads may share it."""

    def __init__(self, postings: Postings, rows: int) -> None:
        self._postings = postings
        self._rows = rows
        self._spread = lru_cache(maxsize=_SPREAD)(self._spread_out)

    def term(self, name: str) -> RareTerm | CommonTerm | None:
        """None if no row holds the term."""
        rows, weights = self._postings.find(name)
        if not len(rows):
            return None
        if len(rows) * _MANY < self._rows:
            return RareTerm(rows.astype(np.intp), weights)
        return self._spread(name)

    def _spread_out(self, name: str) -> CommonTerm:
        rows, weights = self._postings.find(name)
        spread = np.zeros(self._rows, np.float32)
        spread[rows] = weights
        return CommonTerm(np.packbits(spread > 0), spread)
