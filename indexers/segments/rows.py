"""The rows of a version in one numbering, and how the best of them become hits."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vouch.errors import Denied
from vouch.retrieval.candidate import Hit

_GROUP = 64                             # scores of which only the largest is looked at first


class Rows(Protocol):
    """A set of rows of one version. Made by indexers.search.visibility only; no value of it means "no filter"."""

    @property
    def table(self) -> "RowTable":
        """Whose rows they are."""
        ...

    @property
    def mask(self) -> NDArray[np.bool_]: ...

    @property
    def count(self) -> int: ...

    @property
    def kept(self) -> dict[str, Any]:
        """What engines made of these rows for their next searches, by engine."""
        ...


@dataclass(frozen=True, eq=False)
class RowTable:
    """Segment s holds the rows from `offsets[s]` to `offsets[s+1]`; a row without a live chunk is dead.

    `ids` are the 16-byte chunk ids of the rows, zero where dead.
    """

    version: int
    offsets: tuple[int, ...]
    live: NDArray[np.bool_]
    ids: NDArray[np.uint8]

    def inside(self, rows: Rows) -> NDArray[np.bool_]:
        """The mask of `rows`. Raises Denied unless they were made for this very version."""
        if rows.table is not self:                          # a number is no proof: a purge changes what it holds
            raise Denied(f"rows made for version {rows.table.version} cannot be searched in version {self.version}")
        return rows.mask

    def best(self, rows: NDArray[np.integer[Any]], scores: NDArray[np.floating[Any]], top: int) -> list[Hit]:
        """The `top` best as hits, by score, exact ties by chunk id, never by row number."""
        if len(rows) > top > 0:
            least = np.partition(scores, len(scores) - top)[len(scores) - top]
            kept = scores >= least
            rows, scores = rows[kept], scores[kept]
        found = self.ids[rows]
        high, low = id_halves(found)
        order = np.lexsort((low, high, -scores))[: max(top, 0)]
        ids = found[order].tobytes().hex(" ", 16).split(" ")
        return list(map(Hit, ids, scores[order].tolist()))

    def best_positive(self, scores: NDArray[np.float64], top: int) -> list[Hit]:
        """Like `best`, of a score for every row of the version; those of 0 are no hits."""
        least = _bound(scores, top)
        hits = np.flatnonzero(scores >= least if least > 0 else scores > 0)
        return self.best(hits, scores[hits], top)


def _bound(scores: NDArray[np.float64], top: int) -> float:
    """A number that at least `top` scores reach, close below the best of them; 0 if that is not so easily found.

    The scores are dealt into groups: as many scores as groups reach the `top`-th best of their maxima.
    """
    groups = len(scores) // _GROUP
    if not 0 < top <= groups:
        return 0.0
    best = np.maximum.reduce(scores[: groups * _GROUP].reshape(_GROUP, groups), axis=0)
    return float(np.partition(best, groups - top)[groups - top])


def id_halves(ids: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """16-byte ids as two numbers that sort as the bytes (and their hex digits) do."""
    numbers = np.ascontiguousarray(ids).view(">u8").astype(np.uint64).reshape(-1, 2)
    return np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])


def by_id(ids: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
    """The order of 16-byte ids, and their two halves in it."""
    high, low = id_halves(ids)
    order = np.lexsort((low, high))
    return order, high[order], low[order]
