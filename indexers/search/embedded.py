"""The engine that needs no server: posting lists are searched where they lie, in the segments."""

from collections.abc import Callable, Collection
from pathlib import Path

from indexers.search.bm25 import LexicalIndex
from indexers.search.engines import Dense, Lexical
from indexers.segments.hnsw import GraphSearch
from indexers.versions.version import OpenVersion
from vouch.access import Permissions

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
