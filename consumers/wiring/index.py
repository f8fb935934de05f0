"""The index as it is read, and the engine that searches its words."""

from pathlib import Path

from consumers.wiring.models import encoder_settings
from indexers.hnsw import GraphSearch
from indexers.lexical import LexicalEngine, lexical_engine
from indexers.publish import IndexStore
from indexers.reader import LiveIndex
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger
from vouch.adapters.models.encoder import encoder_fingerprint
from vouch.settings import ElasticVectors, FaissVectors, Settings


def open_index(
    settings: Settings, home: Path, ledger: Ledger, watched: WatchedPermissions
) -> tuple[LiveIndex, LexicalEngine]:
    """Reads nothing before its first use."""
    analyser = SnowballAnalyser()
    engine = lexical_engine(settings.lexical.model_dump(), settings.vectors.model_dump(), home, analyser, watched)
    store = IndexStore(home, ledger.versions, analyser, settings.lexical.reference_length, lexical=engine)
    encoder = encoder_fingerprint(*encoder_settings(settings))
    return LiveIndex(store, watched, encoder=encoder, graphs=graph_search(settings)), engine


def graph_search(settings: Settings) -> GraphSearch | None:
    kind = settings.vectors
    if isinstance(kind, FaissVectors) or (isinstance(kind, ElasticVectors) and not kind.approximate):
        return None
    return GraphSearch(kind.ef_search, kind.exact_share)
