"""Asking, search, and how answers were made, built from the settings."""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.adapters.observability.processes import running
from vouch.settings import Settings
from vouch.settings.stores import KafkaLog

if TYPE_CHECKING:
    from services.answering.asking import AskClient
    from services.answering.replay import ReplayService
    from services.answering.search import SearchService
    from services.answering.traces import TraceService

LOOK_S = 0.5


def open_search_service(settings: Settings) -> "SearchService":
    """Over the current version. Models are loaded only if a query needs them."""
    from composition import models
    from composition.model_registry.registry import Registry
    from composition.model_registry.serving import fact_ranking
    from composition.ranking import ranking_models
    from composition.storage import open_live_index, open_storage
    from services.answering.search import SearchService
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.retrieval.fusion import ReciprocalRanks

    storage = open_storage(settings)
    registry = Registry(settings, storage.ledger.models)
    return SearchService(
        index=open_live_index(settings, storage),
        watched=storage.permissions,
        analyser=SnowballAnalyser(),
        encoder=models.encoder(settings),
        ranking_models=ranking_models(settings, registry),
        ranking=fact_ranking(settings, ReciprocalRanks(settings.retrieval.rrf_k)),
        fusion=lambda: registry().fusion,
    )


def open_traces(settings: Settings) -> "TraceService":
    """Over the ledger and the current version; no model is loaded but what says what a score is made of."""
    from composition.model_registry.registry import Registry
    from composition.storage import open_live_index, open_storage
    from consumers.process import now
    from services.answering.contributions import Contributions
    from services.answering.traces import TraceService

    storage = open_storage(settings)
    registry = Registry(settings, storage.ledger.models)
    return TraceService(storage.ledger, storage.permissions, open_live_index(settings, storage),
                        Contributions(registry), now)


def open_replay(settings: Settings, version: int | None) -> "ReplayService":
    """With the models that serve now. Raises Usage for a former version of words that a server searches."""
    from composition import models
    from composition.lazy import Lazy
    from composition.model_registry.registry import Registry
    from composition.storage import open_live_index, open_storage
    from consumers.process import now
    from consumers.wiring.loop import loop_components
    from indexers.version_snapshot import FormerIndex
    from services.answering.replay import ReplayService
    from vouch.errors import Usage
    from vouch.ports.index import Index

    if version is not None and settings.lexical.kind != "embedded":
        raise Usage("only the current version is searched on a server", cure="leave out --index-version")
    storage = open_storage(settings)
    live, registry = open_live_index(settings, storage), Registry(settings, storage.ledger.models)
    index: Index = live if version is None else FormerIndex(
        storage.index, storage.permissions, version, models.encoder_fingerprint(settings), now)
    components = Lazy(lambda: loop_components(settings, index, models.load_models(settings), registry()))
    return ReplayService(open_traces(settings), storage.ledger, storage.permissions, live, index, components, now)


def open_ask_client(settings: Settings) -> "AskClient":
    """Who just asks may lack a worker's settings, and judges nothing by them."""
    from consumers.process import now
    from consumers.wiring.components import open_worker
    from services.answering.asking import AskClient
    from services.answering.progress import TOPICS, Heard

    parts = open_worker(settings, "ask", judges=False)
    worker = parts.worker()
    return AskClient(
        ledger=parts.ledger,
        watched=parts.watched,
        producer=parts.producer,
        worker=worker,
        sender=parts.sender(),
        heard=Heard(partial(parts.log.follow, TOPICS)),
        stop=parts.stop,
        clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds),
        ready=parts.index.follow,
        index=parts.index,
        per_minute=settings.asking.per_minute,
        components=(worker, *parts.components),
        record=parts.record,
        others=_everything if isinstance(settings.log, KafkaLog) else Refreshed(partial(done_by, parts.storage.home)),
    )


def _everything() -> frozenset[str]:
    """A broker would share the partitions out anew for a member that stays for one question."""
    from consumers.process import QUESTIONS, REPLIES

    return frozenset({QUESTIONS, REPLIES})


def done_by(home: Path) -> frozenset[str]:
    """What the living processes of the home do; one that was killed does nothing."""
    return frozenset(work for process in running(home) for work in process.get("does", ()))


class Refreshed:
    """What `look` found, at most half a second ago."""

    def __init__(self, look: Callable[[], frozenset[str]]) -> None:
        self._look = look
        self._found: tuple[float, frozenset[str]] | None = None

    def __call__(self) -> frozenset[str]:
        now = time.monotonic()
        if self._found is None or now - self._found[0] >= LOOK_S:
            self._found = now, self._look()
        return self._found[1]
