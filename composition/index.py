"""The index as it is searched, and how vectors are searched in it."""

from composition import models
from composition.storage import Storage
from indexers.reader import LiveIndex
from indexers.segments.hnsw import FINGERPRINT, SERVER_GRAPH, GraphParameters, GraphSearch
from vouch.settings import ElasticVectors, FaissVectors, HnswVectors, Settings


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
