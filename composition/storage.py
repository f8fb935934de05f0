"""The home, its ledger, the permissions in force, and the index: its versions and what searches them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from composition import models
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore, Keep
from indexers.search.engines import EmbeddedEngine, LexicalEngine
from indexers.segments.hnsw import FINGERPRINT, SERVER_GRAPH, GraphParameters, GraphSearch
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.errors import Usage
from vouch.extras import require
from vouch.ports.models import Analyser
from vouch.ports.stores import PermissionStore
from vouch.settings import Settings
from vouch.settings.stores import ElasticVectors, FaissVectors, HnswVectors


def open_home_and_ledger(settings: Settings) -> tuple[Path, Ledger]:
    """Both open; whoever asks closes the ledger. Raises LedgerDown."""
    home = open_home(settings.home)
    return home, open_ledger(settings.ledger.url or home / "ledger.sqlite")


def open_permissions(settings: Settings, ledger: Ledger) -> WatchedPermissions:
    """The permissions in force by that ledger and the access files it names."""
    return WatchedPermissions(ledger.sources, ledger.access, watch=settings.access.watch)


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
    require("elastic", "VOUCH_LEXICAL__KIND=elasticsearch")
    from indexers.elastic.engine import elastic_engine

    options = {name: value for name, value in chosen.items() if name not in ("kind", "reference_length")}
    return elastic_engine(home, analyser, permissions, vectors=on_server, **options)


@dataclass(frozen=True)
class Storage:
    home: Path
    ledger: Ledger
    permissions: WatchedPermissions
    engine: LexicalEngine
    index: IndexStore


def open_storage(settings: Settings) -> Storage:
    """Of the settings' home. Connects to no search server before its first use. Raises LedgerDown."""
    home, ledger = open_home_and_ledger(settings)
    permissions = open_permissions(settings, ledger)
    engine = lexical_engine(
        settings.lexical.model_dump(), settings.vectors.model_dump(), home, SnowballAnalyser(), permissions
    )
    return Storage(home, ledger, permissions, engine, _index(settings, home, ledger, engine))


def open_temporary_storage(settings: Settings, folder: Path) -> Storage:
    """All of it in a folder that is deleted afterwards, whatever servers the settings name."""
    home = open_home(folder)
    ledger, engine = open_ledger(home / "ledger.sqlite"), EmbeddedEngine()
    return Storage(home, ledger, open_permissions(settings, ledger), engine, _index(settings, home, ledger, engine))


def _index(settings: Settings, home: Path, ledger: Ledger, engine: LexicalEngine) -> IndexStore:
    keep = Keep(settings.index.keep_versions, settings.index.keep_days)
    return IndexStore(home, ledger.versions, SnowballAnalyser(), settings.lexical.reference_length, keep, engine)


def open_live_index(settings: Settings, storage: Storage) -> LiveIndex:
    """Follows the current version. Reads nothing before its first use."""
    encoder = models.encoder_fingerprint(settings)
    return LiveIndex(storage.index, storage.permissions, encoder=encoder, graphs=graph_search(settings))


def graph_search(settings: Settings) -> GraphSearch | None:
    """How to search by graphs, None for exact search."""
    kind = settings.vectors
    if isinstance(kind, FaissVectors) or (isinstance(kind, ElasticVectors) and not kind.approximate):
        return None
    return GraphSearch(kind.ef_search, kind.exact_share)


def graph_fingerprints(settings: Settings) -> dict[str, str]:
    """What the graphs of the settings add to the fingerprints of a version; nothing for exact search."""
    kind = settings.vectors
    if isinstance(kind, ElasticVectors):
        return {FINGERPRINT: SERVER_GRAPH} if kind.approximate else {}
    return GraphParameters(kind.m, kind.ef_construction).fingerprints if isinstance(kind, HnswVectors) else {}
