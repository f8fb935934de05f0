"""Search without an answer, and the encoder and vectors it needs."""

from cli.finder import Finder
from cli.wiring.settings import command_settings
from composition import models
from composition.index import graph_fingerprints, open_live_index
from composition.ranking import fact_ranking
from composition.storage import open_storage
from indexers.hnsw import warnings_of
from vouch.adapters.analyser import SnowballAnalyser


def open_search() -> Finder:
    """Search over the current version; the encoder is loaded only if a query needs it."""
    settings = command_settings()
    storage = open_storage(settings)
    return Finder(
        index=open_live_index(settings, storage),
        watched=storage.permissions,
        analyser=SnowballAnalyser(),
        encoder=models.encoder(settings),
        reranker=lambda: models.load_models(settings).reranker,
        ranking=fact_ranking(settings),
    )


def vector_kind() -> str:
    """How vectors are searched by the settings, with what must be said of it."""
    graphs = graph_fingerprints(command_settings())
    return "; ".join([*graphs.values(), *warnings_of(graphs)]) if graphs else "searched exactly"


def try_encoder() -> str:
    """Embeds a word. Raises ModelDown if that fails."""
    encoder = models.encoder(command_settings())()
    encoder.questions(["ready"])
    return f"{encoder.dimensions} dimensions, {encoder.fingerprint}"
