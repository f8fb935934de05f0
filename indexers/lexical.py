"""Where posting lists are searched: in the segments themselves, or on a server that is told of every version."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from indexers.bm25 import LexicalIndex
from indexers.hnsw import GraphSearch
from indexers.rows import Rows
from indexers.version import OpenVersion
from vouch.access import Permissions
from vouch.errors import Usage
from vouch.ports.analyser import Analyser
from vouch.ports.permission_store import PermissionStore
from vouch.retrieval.candidate import Hit, Statistics

_BEFORE = ("an Elasticsearch that this home used before may still hold rows: "
           "delete its index, and HOME/lexical")


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

    def complete(self, current: Callable[[], OpenVersion | None]) -> None:
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


def lexical_engine(
    chosen: Mapping[str, Any], vectors: Mapping[str, Any], home: Path, analyser: Analyser,
    permissions: PermissionStore,
) -> LexicalEngine:
    """The engine that the settings have `chosen`, for words and for `vectors`, by their names. Connects to nothing.

    Raises Usage for vectors on a server where words are not.
    """
    on_server = vectors["kind"] == "elasticsearch"
    if chosen["kind"] == "embedded":
        if on_server:
            raise Usage("VOUCH_VECTORS__KIND is elasticsearch, and VOUCH_LEXICAL__KIND is not",
                        cure="vectors lie beside the words of their rows: set both, or neither")
        return EmbeddedEngine(home)
    from indexers.elastic.engine import elastic_engine

    options = {name: value for name, value in chosen.items() if name not in ("kind", "reference_length")}
    return elastic_engine(home, analyser, permissions, vectors=on_server, **options)
