"""What searches words, and perhaps vectors: in the segments themselves, or on a server told of every version."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexers.segments.hnsw import GraphSearch
from indexers.segments.rows import Rows
from indexers.versions.version import OpenVersion
from vouch.access import Permissions
from vouch.retrieval.candidate import Hit, Statistics


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

    def complete(self, current: Callable[[], OpenVersion | None]) -> None:
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
