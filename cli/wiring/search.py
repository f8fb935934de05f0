"""Search without an answer, and the encoder and vectors it needs."""

from cli.finder import Finder
from cli.wiring import parts as opening
from cli.wiring.settings import command_settings
from flows.wiring import encoder_settings, graph_fingerprints, graph_search, load_later
from indexers.hnsw import warnings_of
from indexers.reader import LiveIndex
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.models.encoder import encoder_fingerprint


def open_search() -> Finder:
    """Search over the current version; the encoder is loaded only if a query needs it."""
    settings = command_settings()
    parts = opening.open_parts()
    return Finder(
        index=LiveIndex(parts.store, parts.watched, encoder=encoder_fingerprint(*encoder_settings(settings)),
                        graphs=graph_search(settings)),
        watched=parts.watched,
        analyser=SnowballAnalyser(),
        encoder=load_later(settings),
        top=settings.retrieval.top,
        rrf_k=settings.retrieval.rrf_k,
    )


def vector_kind() -> str:
    """How vectors are searched by the settings, with what must be said of it."""
    graphs = graph_fingerprints(command_settings())
    return "; ".join([*graphs.values(), *warnings_of(graphs)]) if graphs else "searched exactly"


def try_encoder() -> str:
    """Embeds a word. Raises ModelDown if that fails."""
    encoder = load_later(command_settings())()
    encoder.questions(["ready"])
    return f"{encoder.dimensions} dimensions, {encoder.fingerprint}"
