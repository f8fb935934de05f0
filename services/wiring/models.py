"""The registry of models and the trainings, built from the settings."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.settings import Settings

if TYPE_CHECKING:
    from services.models.agent_training import AgentTraining
    from services.models.registration import Check
    from services.models.registry import ModelService
    from services.models.training import EvaluatorTraining, RetrainingService
    from vouch.adapters.ledger import Ledger


def open_models(settings: Settings) -> "ModelService":
    """The registry of models; no model is loaded but a folder that is added."""
    from composition.storage import open_home_and_ledger

    return model_service(settings, *open_home_and_ledger(settings))


def model_service(settings: Settings, home: Path, ledger: "Ledger") -> "ModelService":
    """The same over a ledger that is open already."""
    from composition.model_registry.registered import Fitting, check_registered
    from composition.models import own_judge
    from flows.shared.shadows import Shadows
    from services.models.registry import ModelService
    from services.wiring.evaluation import gate_judged
    from vouch.learning.models.cross_encoder_model import CrossEncoderModel
    from vouch.learning.models.fusion_model import FusionModel
    from vouch.learning.promotion.gates import Gate

    files = {"fusion": settings.fusion.model, "reranker": settings.reranker.model,
             "judge": own_judge(settings), "evaluator": settings.evaluator.model}
    shadows = Shadows(ledger, settings.shadow.answers, settings.shadow.hours)

    def keep(folder: Path, check: "Check") -> CrossEncoderModel:
        from vouch.adapters.models.scorers.kept_cross_encoders import keep_cross_encoder

        return keep_cross_encoder(home, folder, settings.encoder.dtype, settings.encoder.device, check)

    def discard(body: Mapping[str, Any]) -> None:
        from vouch.adapters.models.scorers.kept_cross_encoders import discard_kept

        discard_kept(home, body)

    def gate(model: FusionModel) -> tuple[FusionModel, Sequence[Gate]]:
        from flows.shared.reporting import silent
        from flows.training.retraining import gated
        from flows.wiring.training import build_training

        components = build_training(settings)
        with closing(components.ledger):
            return gated(components, model, silent)

    return ModelService(
        ledger, partial(check_registered, settings), Fitting(settings, ledger.models), keep, discard, files, shadows,
        gate, partial(gate_judged, settings),
    )


def open_retraining(settings: Settings) -> "RetrainingService":
    """Over the ledger and the version that is served. Models are loaded only if something must be searched."""
    from consumers.process import now
    from flows.wiring.training import build_registrar, build_training
    from services.models.training import BY, RetrainingService

    return RetrainingService(build_training(settings), build_registrar(settings, BY), now)


def open_evaluator_training(settings: Settings) -> "EvaluatorTraining":
    """Over the current version, with the reranker and the judge of the settings; whatever evaluator serves."""
    from composition import models
    from composition.lazy import Lazy
    from composition.model_registry.serving import Judge, Serving, fusion, scorers_of_settings
    from composition.storage import open_live_index, open_storage
    from consumers.wiring.loop import loop_components
    from services.models.training import EvaluatorTraining
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
    from importlib.metadata import version

    from composition import models
    from composition.language_model import language_models
    from composition.lazy import Lazy
    from composition.model_registry.registry import Registry
    from composition.storage import open_live_index, open_storage
    from consumers.process import now
    from consumers.wiring.loop import loop_components
    from flows.wiring.training import build_worlds
    from services.models.agent_training import AgentTraining
    from vouch.adapters.language_model.planner import LanguageModelComparator

    storage = open_storage(settings)
    index, serving = open_live_index(settings, storage), Registry(settings, storage.ledger.models)()

    def writes() -> LanguageModelComparator | None:
        language = language_models(settings)
        return None if language is None else LanguageModelComparator(language)

    return AgentTraining(
        storage.home, storage.ledger,
        Lazy(lambda: loop_components(settings, index, models.load_models(settings), serving)),
        index, storage.permissions.permissions, build_worlds(settings, storage.home).compare, writes, now,
        made_with=lambda: f"{version('vouch')} {settings.model_dump_json()}",       # keys are masked in it
    )
