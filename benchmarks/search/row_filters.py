"""Ways to name the visible rows in a filter of Elasticsearch: by the labels of today, and by what never changes.

Each row has a number in three forms: `serial` as points, `values` as a column
only, `word` as a keyword. Numbers name the hidden rows instead where these are
fewer.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from indexers.elastic.sync.row_journal import JournalEntry
from indexers.elastic.sync.selection import Query, select

LABELS = 300
FIELDS: Query = {"serial": {"type": "integer"}, "values": {"type": "integer", "index": False},
                 "word": {"type": "keyword", "doc_values": False}}
_MOST_RANGES = 1_000                    # a server refuses more clauses than about that
_SEGMENTS = (0.62, 0.25, 0.085, 0.035, 0.01)
_BIT = """int row = (int) doc['values'].value;
return ((((int) params.bits.charAt(row / 6)) - 48 >> (row % 6)) & 1) == 1;"""
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Layout:
    """Which label each row has; rows of one label are scattered or in runs."""

    name: str
    of_row: NDArray[np.int32]

    def visible(self, count: int, reader: int) -> Mask:
        """What a reader of `count` labels sees; another `reader` has others of them."""
        return np.isin(self.of_row, np.random.default_rng([count, reader]).choice(LABELS, count, replace=False))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(f"{self.name}:{n}" for n in range(LABELS))


def layouts(rows: int) -> list[Layout]:
    """Each row by itself at random; and two runs for each label, of 500 rows if there are 300,000."""
    numbers = np.arange(rows, dtype=np.int32)
    return [Layout("scattered", np.random.default_rng(6).permutation(numbers) % LABELS),
            Layout("in runs", (np.arange(rows) * 2 * LABELS // rows % LABELS).astype(np.int32))]


def spans_of(rows: int) -> dict[str, slice]:
    """The rows of each segment."""
    ends = np.rint(np.cumsum((0, *_SEGMENTS)) * rows).astype(int).tolist()
    return {f"s{n}": slice(start, end) for n, (start, end) in enumerate(pairwise(ends))}


class RowFilters:
    """`all` makes filters of exactly the visible rows by the name of the way; None where it cannot name them.

    `send` is given numbers and puts them where the server looks them up: the index and id of a document.
    """

    def __init__(self, layout: Layout, send: Callable[[str, list[int]], Query]) -> None:
        self.spans = spans_of(len(layout.of_row))
        self._layout, self._send = layout, send
        self.all: dict[str, Callable[[Mask], Query | None]] = {
            "labels": self._labels,
            "numbers as points": lambda mask: self._shorter(mask, lambda rows: {"terms": {"serial": rows.tolist()}}),
            "numbers as a column": lambda mask: self._shorter(mask, lambda rows: {"terms": {"values": rows.tolist()}}),
            "numbers as keywords": lambda mask: self._shorter(
                mask, lambda rows: {"terms": {"word": [str(row) for row in rows.tolist()]}}),
            "numbers looked up": lambda mask: self._shorter(mask, self._looked_up),
            "ranges": _ranges,
            "bits in a script": _bits,
        }

    def segments(self) -> Query:
        return {"terms": {"segment": list(self.spans)}}

    def _labels(self, mask: Mask) -> Query:
        notes = {name: JournalEntry(self._layout.labels, self._layout.of_row[span])
                 for name, span in self.spans.items()}
        return select([mask[span] for span in self.spans.values()], notes).query

    def _shorter(self, mask: Mask, named: Callable[[NDArray[np.int64]], Query]) -> Query:
        """The rows by name, or all but the others."""
        if 2 * int(np.count_nonzero(mask)) <= len(mask):
            return named(np.flatnonzero(mask))
        return {"bool": {"filter": [self.segments()], "must_not": [named(np.flatnonzero(~mask))]}}

    def _looked_up(self, rows: NDArray[np.int64]) -> Query:
        name = hashlib.blake2b(rows.tobytes(), digest_size=16).hexdigest()
        return {"terms": {"serial": {**self._send(name, rows.tolist()), "path": "rows"}}}


def _ranges(mask: Mask) -> Query | None:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8))).tolist()
    runs = [{"range": {"serial": {"gte": start, "lt": end}}}
            for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if len(runs) > _MOST_RANGES:
        return None
    return {"bool": {"should": runs}} if runs else {"match_none": {}}       # no clause at all would match every row


def _bits(mask: Mask) -> Query:
    """A script looks each row that has a word of the question up in a string of six rows a character."""
    sixes = np.append(mask, np.zeros(-len(mask) % 6, np.bool_)).reshape(-1, 6) @ (1 << np.arange(6))
    bits = (sixes + 48).astype(np.uint8).tobytes().decode()
    return {"script": {"script": {"source": _BIT, "params": {"bits": bits}}}}
