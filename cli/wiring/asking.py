"""Where the command asks, votes, searches and looks at answers, and tells the log of changes."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from composition import models
from composition.model_registry.serving import recipe_of
from composition.storage import graph_fingerprints
from indexers.segments.hnsw import warnings_of
from services.wiring import answering as answering_wiring
from services.wiring import documents as documents_wiring

if TYPE_CHECKING:
    from services.answering.asking import AskClient
    from services.answering.replay import ReplayService
    from services.answering.search import SearchService
    from services.answering.traces import TraceService
    from services.documents.announcing import Announcer


@contextmanager
def open_ask_client() -> "Iterator[AskClient]":
    """A client that asks and, if no worker runs, answers. It is closed at the end, whatever happens."""
    with closing(answering_wiring.open_ask_client(command_settings())) as client:
        yield client


def open_announcer() -> "AbstractContextManager[Announcer]":
    return documents_wiring.open_announcer(command_settings())


def open_search() -> "SearchService":
    """Search over the current version; the encoder is loaded only if a query needs it."""
    return answering_wiring.open_search_service(command_settings())


def vector_kind() -> str:
    """How vectors are searched by the settings, with the warning that this needs, if any."""
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


def open_traces() -> "TraceService":
    """No model is loaded."""
    return answering_wiring.open_traces(command_settings())


def open_replay(version: int | None) -> "ReplayService":
    """On this version of the index; None: the current one. Models are loaded when something is run."""
    return answering_wiring.open_replay(command_settings(), version)
