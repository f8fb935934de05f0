"""Search without an answer, and the encoder and vectors it needs."""

from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from composition import models
from composition.index import graph_fingerprints
from composition.ranking import recipe_of
from indexers.segments.hnsw import warnings_of
from services import wiring

if TYPE_CHECKING:
    from services.answering.search import SearchService


def open_search() -> "SearchService":
    """Search over the current version; the encoder is loaded only if a query needs it."""
    return wiring.open_search_service(command_settings())


def vector_kind() -> str:
    """How vectors are searched by the settings, with what must be said of it."""
    graphs = graph_fingerprints(command_settings())
    return "; ".join([*graphs.values(), *warnings_of(graphs)]) if graphs else "searched exactly"


def try_recipe() -> str:
    """The name of the recipe of the settings. Raises Usage for one that is not there, or is wrong."""
    return recipe_of(command_settings()).name


def try_encoder() -> str:
    """Embeds a word. Raises ModelDown if that fails."""
    encoder = models.encoder(command_settings())()
    encoder.questions(["ready"])
    return f"{encoder.dimensions} dimensions, {encoder.fingerprint}"
