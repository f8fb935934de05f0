"""Which engine searches words and vectors, by the settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from indexers.search.embedded import EmbeddedEngine
from indexers.search.engines import LexicalEngine
from vouch.errors import Usage
from vouch.extras import need
from vouch.ports.analyser import Analyser
from vouch.ports.permission_store import PermissionStore


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
                        cure="set both to elasticsearch, or only VOUCH_LEXICAL__KIND, or neither")
        return EmbeddedEngine(home)
    need("elastic", "VOUCH_LEXICAL__KIND=elasticsearch")
    from indexers.elastic.engine import elastic_engine

    options = {name: value for name, value in chosen.items() if name not in ("kind", "reference_length")}
    return elastic_engine(home, analyser, permissions, vectors=on_server, **options)
