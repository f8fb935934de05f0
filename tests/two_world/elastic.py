"""Lexical engines on a real Elasticsearch for worlds."""

from pathlib import Path

from two_world.worlds import ANALYSER, Engines

from indexers.elastic.engine import ElasticEngine
from indexers.elastic.server.client import ElasticOptions
from indexers.elastic.server.server import ElasticServer
from vouch.ports.stores import PermissionStore


def engines_at(url: str, *, vectors: bool = False, **options: object) -> Engines:
    """Engines that share one client and one index, as homes with the same prefix do."""
    chosen = {"index_prefix": "test", "timeout_seconds": 30.0, "patience_seconds": 0.0, **options}
    server = ElasticServer(ElasticOptions(url, **chosen))

    def engine(home: Path, permissions: PermissionStore) -> ElasticEngine:
        return ElasticEngine(server, home, ANALYSER, permissions, vectors)

    return engine
