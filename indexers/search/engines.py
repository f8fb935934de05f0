"""What searches words: the protocol of engines, and BM25 over the posting lists of the segments.

score = Σ over question terms of ln(1 + (N − df + ½)/(df + ½)) · weight, with
N and df over the visible rows and Lucene's k1 1.2, b 0.75; the weight is
stored with the posting (see segments/postings.py). A term asked twice counts twice.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexers.segments.hnsw import GraphSearch
from indexers.segments.postings import CommonTerm, RareTerm
from indexers.segments.segment import Rows
from indexers.versions.version import OpenVersion
from vouch.access import Permissions
from vouch.values.candidate import Hit, Statistics

Term = RareTerm | CommonTerm


def idf(rows: int, frequency: int) -> float:
    return math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5))


class LexicalIndex:
    """The posting lists of one version's segments."""

    def __init__(self, version: OpenVersion) -> None:
        self._table = version.rows
        self._segments = version.segments

    def search(self, terms: Sequence[str], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows with a score above 0, ties by chunk id.

        Sums run in the order of `terms`, in float64, so that a score does not
        depend on how rows are spread over segments.
        """
        mask = self._table.inside(rows)
        postings_by_term = self._found(terms)
        scores = np.zeros(len(mask), np.float64)
        frequencies = {name: _frequency(postings, mask) for name, postings in postings_by_term.items()}
        for name in terms:
            if not frequencies[name]:   # it is in hidden rows alone, or nowhere: neither may take longer than the other
                continue
            for span, postings in postings_by_term[name]:
                postings.add(idf(rows.count, frequencies[name]), scores[span])
        if rows.count < len(mask):
            scores *= mask              # rows outside were summed along, which is faster than leaving them out
        return self._table.best_positive(scores, top)

    def statistics(self, terms: Iterable[str], rows: Rows) -> Statistics:
        mask = self._table.inside(rows)
        return Statistics(rows.count, {name: _frequency(held, mask) for name, held in self._found(terms).items()})

    def _found(self, terms: Iterable[str]) -> dict[str, list[tuple[slice, Term]]]:
        """Each term as the segments hold it, with the rows of the segment."""
        spans = [slice(start, end) for start, end in pairwise(self._table.offsets)]
        places = list(zip(spans, (segment.terms for segment in self._segments), strict=True))
        return {
            name: [(span, held) for span, scores in places if (held := scores.term(name)) is not None]
            for name in dict.fromkeys(terms)
        }


def _frequency(found: Sequence[tuple[slice, Term]], mask: NDArray[np.bool_]) -> int:
    """How many rows inside `mask` hold a term."""
    return sum(held.frequency(mask[span]) for span, held in found)


class Lexical(Protocol):
    """BM25 over rows of one version."""

    def search(self, terms: Sequence[str], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows with a score above 0, ties by chunk id."""
        ...

    def statistics(self, terms: Iterable[str], rows: Rows) -> Statistics: ...


class Dense(Protocol):
    """Vectors of the rows of one version."""

    def search(self, vector: NDArray[np.float32], rows: Rows, top: int) -> list[Hit]:
        """The best `top` rows by inner product with the normalised `vector`, ties by chunk id."""
        ...


class LexicalEngine(Protocol):
    """Every method may raise IndexDown; then nothing was lost, and it may be called again."""

    def open(self, version: OpenVersion) -> Lexical: ...

    def dense(self, version: OpenVersion, graphs: GraphSearch | None = None) -> Dense | None:
        """Where the vectors of `version` are searched, if not in its segments; `graphs` as in VectorIndex."""
        ...

    def prepare(self, version: OpenVersion) -> None:
        """Before the pointer moves to `version`: all its rows can be searched, and were counted.

        Raises Damaged if their number is not right.
        """
        ...

    def catch_up(self, current: Callable[[], OpenVersion | None]) -> None:
        """Afterwards the current version can be searched, also if this engine never heard of it."""
        ...

    def follow(self, version: OpenVersion, permissions: Permissions) -> None:
        """`version` is served under `permissions`. What is to be done about that is done beside the caller."""
        ...

    def sweep(self, needed: Collection[str], *, dry_run: bool = False) -> int:
        """How many rows of segments other than `needed` there were; they are gone."""
        ...

    def purge(self, needed: Collection[str]) -> tuple[str, ...]:
        """Like `sweep`, down to the files; what could not be proven, in words."""
        ...

    def terms_left(self, terms: Collection[str]) -> list[tuple[str, int]]:
        """Each place besides the segments that holds some of `terms`, and how many."""
        ...

    def problems(self, version: OpenVersion) -> list[str]:
        """What is wrong with what the engine holds of `version`."""
        ...

    def check(self) -> str:
        """A line about the machine."""
        ...


_BEFORE = ("an Elasticsearch that this home used before may still hold rows: "
           "delete its index, and HOME/lexical")


class EmbeddedEngine:
    """The posting lists that lie in the segments: nothing is to be kept up to date."""

    def __init__(self, home: Path | None = None) -> None:
        """With a `home`, purges say so if it used a server before."""
        self._home = home

    def open(self, version: OpenVersion) -> Lexical:
        return LexicalIndex(version)

    def dense(self, version: OpenVersion, graphs: GraphSearch | None = None) -> Dense | None:
        return None

    def prepare(self, version: OpenVersion) -> None:
        """Publishing wrote them."""

    def catch_up(self, current: Callable[[], OpenVersion | None]) -> None:
        """They come with the version."""

    def follow(self, version: OpenVersion, permissions: Permissions) -> None:
        """Labels are no part of them."""

    def sweep(self, needed: Collection[str], *, dry_run: bool = False) -> int:
        return 0

    def purge(self, needed: Collection[str]) -> tuple[str, ...]:
        return (_BEFORE,) if self._home is not None and any(self._home.glob("lexical/*.labels")) else ()

    def terms_left(self, terms: Collection[str]) -> list[tuple[str, int]]:
        return []

    def problems(self, version: OpenVersion) -> list[str]:
        return []

    def check(self) -> str:
        return "embedded"
