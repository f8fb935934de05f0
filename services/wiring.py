"""Builds the services from the settings."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.adapters.observability.process_registry import running
from vouch.settings import KafkaLog, Settings

if TYPE_CHECKING:
    from services.administration import Administration
    from services.announcing import Announcer
    from services.asking import AskClient
    from services.evaluation import AnswerEvaluation
    from services.gaps import GapService
    from services.labeling import Labeling
    from services.labels import Collected
    from services.models import ModelService
    from services.search import SearchService
    from vouch.learning.label_rules import LabelRules

LOOK_S = 0.5


def open_administration(settings: Settings) -> "Administration":
    """Ledger, index store and permissions; no model."""
    from composition.storage import open_storage
    from services.administration import Administration

    storage = open_storage(settings)
    return Administration(storage.home, storage.ledger, storage.index, storage.permissions)


def open_models(settings: Settings) -> "ModelService":
    """The registry of models; no model is loaded."""
    from composition.ledger import open_home_and_ledger
    from composition.registered import check_registered
    from services.models import ModelService
    from services.shadows import Shadows

    _, ledger = open_home_and_ledger(settings)
    files = {"fusion": settings.fusion.model, "evaluator": settings.evaluator.model}
    shadows = Shadows(ledger, settings.shadow.answers, settings.shadow.hours)
    return ModelService(ledger, partial(check_registered, settings), files, shadows)


def open_search_service(settings: Settings) -> "SearchService":
    """Over the current version. Models are loaded only if a query needs them."""
    from composition import models
    from composition.index import open_live_index
    from composition.ranking import fact_ranking
    from composition.registry import Registry
    from composition.storage import open_storage
    from services.search import SearchService
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.retrieval.fusion import ReciprocalRanks

    storage = open_storage(settings)
    registry = Registry(settings, storage.ledger.models)
    return SearchService(
        index=open_live_index(settings, storage),
        watched=storage.permissions,
        analyser=SnowballAnalyser(),
        encoder=models.encoder(settings),
        reranker=lambda: models.load_reranker(settings),
        ranking=fact_ranking(settings, ReciprocalRanks(settings.retrieval.rrf_k)),
        fusion=lambda: registry().fusion,
    )


def label_rules(settings: Settings) -> "LabelRules":
    """What counts how much as a sign of relevance."""
    from vouch.learning.label_rules import LabelRules

    chosen = settings.labels
    down = {name: getattr(chosen, f"down_{name}") for name in ("not_asked", "wrong", "outdated", "other")}
    return LabelRules(
        chosen.judged, chosen.cited, chosen.caution, chosen.shown, chosen.up, down, chosen.rephrased,
        chosen.rephrased_share, timedelta(minutes=chosen.rephrased_minutes), chosen.ended,
        timedelta(hours=chosen.ended_hours),
    )  # fmt: skip


def open_labeling(settings: Settings, pool: int | None) -> "Labeling":
    """Over the current version. `pool` None: as the settings say."""
    from composition.ledger import open_home_and_ledger
    from consumers.wiring.clock import now
    from services.labeling import Labeling

    _, ledger = open_home_and_ledger(settings)
    chosen = settings.labels
    return Labeling(open_search_service(settings), ledger, now, chosen.judged, pool or chosen.pool)


def collect_labels(settings: Settings, progress: Callable[[str, int, int], None]) -> "Collected":
    """Makes the labels of every recorded answer anew."""
    from composition.ledger import open_home_and_ledger
    from consumers.wiring.clock import now
    from services.labels import collect_labels
    from vouch.adapters.analyser import SnowballAnalyser

    _, ledger = open_home_and_ledger(settings)
    with closing(ledger):
        return collect_labels(ledger, label_rules(settings), SnowballAnalyser().terms, now(), progress)


def open_gap_service(settings: Settings) -> "GapService":
    """Over the ledger and the current version. The encoder is loaded only if there are questions to group."""
    from consumers.wiring.clock import now
    from flows.wiring import build_gap_components
    from services.gaps import GapService

    return GapService(build_gap_components(settings), now)


@contextmanager
def open_announcer(settings: Settings) -> "Iterator[Announcer]":
    from composition.ledger import open_home_and_ledger
    from composition.log import open_log
    from consumers.monitoring.telemetry import Telemetry
    from consumers.wiring.clock import now
    from consumers.wiring.status import watch_shown
    from services.announcing import Announcer

    home, ledger = open_home_and_ledger(settings)
    with closing(ledger), closing(open_log(settings, home).producer()) as producer:
        telemetry = Telemetry()
        yield Announcer(ledger, producer, now, telemetry, partial(watch_shown, settings, home, telemetry))


def open_ask_client(settings: Settings) -> "AskClient":
    """Who just asks may lack a worker's settings, and judges nothing by them."""
    from consumers.wiring.clock import now
    from consumers.wiring.components import open_parts
    from services.asking import AskClient

    parts = open_parts(settings, "ask", judges=False)
    worker = parts.worker()
    return AskClient(
        ledger=parts.ledger,
        watched=parts.watched,
        producer=parts.producer,
        worker=worker,
        sender=parts.sender(),
        stop=parts.stop,
        clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds),
        ready=parts.index.follow,
        per_minute=settings.asking.per_minute,
        components=(worker, *parts.components),
        record=parts.record,
        others=_everything if isinstance(settings.log, KafkaLog) else Refreshed(partial(done_by, parts.storage.home)),
    )


def open_answer_evaluation(settings: Settings) -> "AnswerEvaluation":
    """Over the current version, with the models and the writer of the settings."""
    from composition import models
    from composition.index import open_live_index
    from composition.lazy import Lazy
    from composition.registry import Registry
    from composition.storage import open_storage
    from consumers.questions.answerer import Answerer
    from consumers.wiring.clock import now
    from consumers.wiring.loop import loop_components
    from services.evaluation import AnswerEvaluation

    storage = open_storage(settings)
    index = open_live_index(settings, storage)
    index.follow()
    registry = Registry(settings, storage.ledger.models)
    components = Lazy(lambda: loop_components(settings, index, models.load_models(settings), registry()))
    answerer = Answerer(storage.permissions, index, components, now)
    return AnswerEvaluation(answerer.answer, storage.permissions, now, models.company().join)


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
