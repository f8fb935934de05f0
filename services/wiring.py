"""Builds the services from the settings."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.adapters.observability.process_registry import running
from vouch.settings import KafkaLog, Settings

if TYPE_CHECKING:
    from flows.training.labels import Collected
    from services.answering.asking import AskClient
    from services.answering.replay import ReplayService
    from services.answering.search import SearchService
    from services.answering.traces import TraceService
    from services.documents.administration import Administration
    from services.documents.announcing import Announcer
    from services.documents.drafts import DraftService
    from services.labeling.examples import ExampleService
    from services.labeling.gaps import GapService
    from services.labeling.label_import import LabelImport
    from services.labeling.labeling import Labeling
    from services.models.agent_training import AgentTraining
    from services.models.calibration import CalibrationService
    from services.models.evaluation import AnswerEvaluation
    from services.models.evaluator_training import EvaluatorTraining
    from services.models.models import ModelService
    from services.models.retraining import RetrainingService
    from vouch.adapters.ledger import Ledger
    from vouch.learning.models.evaluator_model import EvaluatorModel
    from vouch.ports.evaluator import Evaluator

LOOK_S = 0.5


def open_administration(settings: Settings) -> "Administration":
    """Ledger, index store and permissions; no model."""
    from composition.storage import open_storage
    from services.documents.administration import Administration

    storage = open_storage(settings)
    return Administration(storage.home, storage.ledger, storage.index, storage.permissions)


def open_models(settings: Settings) -> "ModelService":
    """The registry of models; no model is loaded but a reranker that is added."""
    from composition.ledger import open_home_and_ledger

    return model_service(settings, *open_home_and_ledger(settings))


def model_service(settings: Settings, home: Path, ledger: "Ledger") -> "ModelService":
    """The same over a ledger that is open already."""
    from composition.fitting import Fitting
    from composition.registered import check_registered
    from flows.shared.shadows import Shadows
    from services.models.models import ModelService
    from vouch.learning.models.fusion_model import FusionModel
    from vouch.learning.models.reranker_model import RerankerModel
    from vouch.learning.promotion.gates import Gate

    files = {"fusion": settings.fusion.model, "reranker": settings.reranker.model,
             "evaluator": settings.evaluator.model}
    shadows = Shadows(ledger, settings.shadow.answers, settings.shadow.hours)

    def keep(folder: Path) -> RerankerModel:
        from vouch.adapters.models.kept_rerankers import keep_reranker

        return keep_reranker(home, folder, settings.encoder.dtype, settings.encoder.device)

    def gate(model: FusionModel) -> tuple[FusionModel, Sequence[Gate]]:
        from flows.shared.progress import silent
        from flows.training.gating import gated
        from flows.wiring import build_training

        components = build_training(settings)
        with closing(components.ledger):
            return gated(components, model, silent)

    return ModelService(
        ledger, partial(check_registered, settings), Fitting(settings, ledger.models), keep, files, shadows, gate
    )


def open_search_service(settings: Settings) -> "SearchService":
    """Over the current version. Models are loaded only if a query needs them."""
    from composition import models
    from composition.index import open_live_index
    from composition.ranking import fact_ranking
    from composition.registry import Registry
    from composition.serving import reranker_of
    from composition.storage import open_storage
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
        reranker=lambda: reranker_of(registry(), settings),
        ranking=fact_ranking(settings, ReciprocalRanks(settings.retrieval.rrf_k)),
        fusion=lambda: registry().fusion,
    )


def open_traces(settings: Settings) -> "TraceService":
    """Over the ledger and the current version; no model is loaded but what says what a score is made of."""
    from composition.index import open_live_index
    from composition.registry import Registry
    from composition.storage import open_storage
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
    from composition.index import open_live_index
    from composition.lazy import Lazy
    from composition.registry import Registry
    from composition.storage import open_storage
    from consumers.process import now
    from consumers.wiring.loop import loop_components
    from indexers.former import FormerIndex
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


def open_retraining(settings: Settings) -> "RetrainingService":
    """Over the ledger and the version that is served. Models are loaded only if something must be searched."""
    from consumers.process import now
    from flows.wiring import build_training
    from services.models.retraining import RetrainingService

    return RetrainingService(build_training(settings), now)


def open_labeling(settings: Settings, pool: int | None) -> "Labeling":
    """Over the current version. `pool` None: as the settings say."""
    from composition.ledger import open_home_and_ledger
    from consumers.process import now
    from services.labeling.labeling import Labeling

    _, ledger = open_home_and_ledger(settings)
    chosen = settings.labels
    return Labeling(open_search_service(settings), ledger, now, chosen.judged, pool or chosen.pool)


def open_label_import(settings: Settings) -> "LabelImport":
    """Over the ledger and all kept versions; no model is loaded."""
    from composition.storage import open_storage
    from indexers.publishing.held_chunks import held_chunks
    from services.labeling.label_import import LabelImport

    storage = open_storage(settings)
    return LabelImport(storage.ledger, partial(held_chunks, storage.index))


def open_calibration(settings: Settings) -> "CalibrationService":
    """Of the evaluator that serves. Models are loaded only if something must be searched."""
    from composition import models
    from composition.index import open_live_index
    from composition.lazy import Lazy
    from composition.registry import Registry
    from composition.storage import open_storage
    from consumers.process import now
    from consumers.wiring.loop import loop_components
    from flows.wiring import build_worlds, golden_questions
    from services.models.calibration import CalibrationRules, CalibrationService
    from services.models.judging import Judging
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.learning.evaluator.calibration import Costs
    from vouch.learning.evaluator.calibration_figures import Needed
    from vouch.learning.labels.caps import cap_weights

    storage, how, held = open_storage(settings), settings.calibration, settings.labels
    index, serving = open_live_index(settings, storage), Registry(settings, storage.ledger.models)()
    judging = Judging(Lazy(lambda: loop_components(settings, index, models.load_models(settings), serving)),
                      index, storage.permissions.permissions)
    return CalibrationService(
        ledger=storage.ledger,
        current=lambda: _evaluator(serving.judge().evaluator),
        judge=judging.judged,
        directory=lambda: storage.permissions.permissions().directory,
        analyser=SnowballAnalyser(),
        rules=CalibrationRules(
            Costs(how.wrong, how.unsure, how.doubted, how.declined),
            Needed(how.questions, how.each, how.loss),
            settings.training.public_only,
            partial(cap_weights, person_share=held.person_share, day_share=held.day_share),
            settings.training.answers,
            settings.training.askers,
            partial(golden_questions, settings), settings.training.golden_readers,
        ),
        worlds=partial(judging.worlds, build_worlds(settings, storage.home).compare),
        clock=now,
    )


def open_evaluator_training(settings: Settings) -> "EvaluatorTraining":
    """Over the current version, with the reranker and the judge of the settings; whatever evaluator serves."""
    from composition import models
    from composition.index import open_live_index
    from composition.lazy import Lazy
    from composition.ranking import fusion
    from composition.serving import Judge, Serving, scorers_of_settings
    from composition.storage import open_storage
    from consumers.wiring.loop import loop_components
    from services.models.evaluator_training import EvaluatorTraining
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.learning.evaluator.calibration import Costs
    from vouch.learning.models.evaluator_model import UNJUDGED, load_evaluator

    storage, how = open_storage(settings), settings.calibration
    index, none = open_live_index(settings, storage), Judge(load_evaluator(UNJUDGED), "")
    serving = Serving(fusion(settings), lambda: scorers_of_settings(settings, none), lambda: none)
    prints = {
        "encoder": models.encoder_fingerprint(settings), "analyser": SnowballAnalyser().fingerprint,
        "weights": models.encoder_weights(settings), "reranked_with": models.reranker_weights(settings),
        "judge": models.judge_weights(settings),
    }
    return EvaluatorTraining(
        Lazy(lambda: loop_components(settings, index, models.load_models(settings), serving)),
        Lazy(lambda: models.load_judge(settings)), index, storage.permissions.permissions,
        {name: value for name, value in prints.items() if value},
        Costs(how.wrong, how.unsure, how.doubted, how.declined),
    )


def open_agent_training(settings: Settings) -> "AgentTraining":
    """Over the current version, with what serves; a language model writes instructions where one is set."""
    from composition import models
    from composition.index import open_live_index
    from composition.lazy import Lazy
    from composition.registry import Registry
    from composition.storage import open_storage
    from consumers.process import now
    from consumers.wiring.language_model import language_models
    from consumers.wiring.loop import loop_components
    from flows.wiring import build_worlds
    from services.models.agent_training import AgentTraining
    from vouch.adapters.language_model.comparator import LanguageModelComparator

    storage = open_storage(settings)
    index, serving = open_live_index(settings, storage), Registry(settings, storage.ledger.models)()

    def writes() -> LanguageModelComparator | None:
        language = language_models(settings)
        return None if language is None else LanguageModelComparator(language)

    return AgentTraining(
        storage.home, storage.ledger,
        Lazy(lambda: loop_components(settings, index, models.load_models(settings), serving)),
        index, storage.permissions.permissions, build_worlds(settings, storage.home).compare, writes, now,
    )


def _evaluator(found: "Evaluator") -> "EvaluatorModel":
    from vouch.errors import Usage
    from vouch.learning.models.evaluator_model import EvaluatorModel

    if not isinstance(found, EvaluatorModel):
        raise Usage("the evaluator that serves cannot be calibrated", cure="use one that vouch train evaluator wrote")
    return found


def collect_labels(settings: Settings, progress: Callable[[str, int, int], None]) -> "Collected":
    """Makes the labels of every recorded answer anew."""
    from composition.label_rules import label_rules
    from composition.ledger import open_home_and_ledger
    from consumers.process import now
    from flows.training.labels import collect_labels
    from vouch.adapters.analyser import SnowballAnalyser

    _, ledger = open_home_and_ledger(settings)
    with closing(ledger):
        return collect_labels(ledger, label_rules(settings), SnowballAnalyser().terms, now(), progress)


def open_gap_service(settings: Settings) -> "GapService":
    """Over the ledger and the current version. The encoder is loaded only if there are questions to group."""
    from consumers.process import now
    from flows.wiring import build_gap_components
    from services.labeling.gaps import GapService

    return GapService(build_gap_components(settings), now)


def open_examples(settings: Settings) -> "ExampleService":
    """Over the ledger and the reports in the home; no model is loaded."""
    from composition.ledger import open_home_and_ledger, open_permissions
    from consumers.process import now
    from services.labeling.examples import ExampleService

    home, ledger = open_home_and_ledger(settings)
    return ExampleService(home, ledger, open_permissions(settings, ledger).permissions, now)


@contextmanager
def open_announcer(settings: Settings) -> "Iterator[Announcer]":
    from composition.ledger import open_home_and_ledger
    from composition.log import open_log
    from consumers.monitoring.telemetry import Telemetry
    from consumers.process import now
    from consumers.wiring.status import watch_shown
    from services.documents.announcing import Announcer

    home, ledger = open_home_and_ledger(settings)
    with closing(ledger), closing(open_log(settings, home).producer()) as producer:
        telemetry = Telemetry()
        yield Announcer(ledger, producer, now, telemetry, partial(watch_shown, settings, home, telemetry))


@contextmanager
def open_drafts(settings: Settings) -> "Iterator[DraftService]":
    """Drafts of documents, and what puts them in place and announces them."""
    from services.documents.drafts import DraftService
    from vouch.adapters.sources.human_answers import HumanAnswers

    home = settings.home
    with open_announcer(settings) as announcer:
        ledger = announcer.ledger
        yield DraftService(ledger, HumanAnswers(home, ledger), partial(announcer.send, paths=None), announcer.clock)


def open_ask_client(settings: Settings) -> "AskClient":
    """Who just asks may lack a worker's settings, and judges nothing by them."""
    from consumers.process import now
    from consumers.wiring.components import open_parts
    from services.answering.asking import AskClient
    from services.answering.following import TOPICS, Heard

    parts = open_parts(settings, "ask", judges=False)
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
    from consumers.process import now
    from consumers.questions.answerer import Answerer
    from consumers.wiring.loop import loop_components
    from services.models.asker import Asker
    from services.models.evaluation import AnswerEvaluation

    storage = open_storage(settings)
    index = open_live_index(settings, storage)
    index.follow()
    registry = Registry(settings, storage.ledger.models)
    components = Lazy(lambda: loop_components(settings, index, models.load_models(settings), registry()))
    answerer = Answerer(storage.permissions, index, components, now)
    return AnswerEvaluation(Asker(answerer.answer, index, storage.permissions, now, models.company().join))


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
