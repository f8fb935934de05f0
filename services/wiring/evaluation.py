"""Calibration and the measuring of answers, built from the settings."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from vouch.settings import Settings

if TYPE_CHECKING:
    from composition.model_registry.serving import Serving
    from services.models.calibration import CalibrationService
    from services.models.evaluation import AnswerEvaluation
    from vouch.learning.labels.label import Label
    from vouch.learning.models.evaluator_model import EvaluatorModel
    from vouch.learning.promotion.gates import Gate
    from vouch.ports.models import Evaluator
    from vouch.settings.learning import LabelSettings


def open_calibration(settings: Settings, serving: "Serving | None" = None) -> "CalibrationService":
    """Of the evaluator that serves, or would. Models are loaded only if something must be searched."""
    from composition import models
    from composition.lazy import Lazy
    from composition.model_registry.registry import Registry
    from composition.storage import open_live_index, open_storage
    from consumers.process import now
    from consumers.wiring.loop import loop_components
    from flows.wiring.training import build_worlds, golden_questions
    from services.models.calibration import CalibrationRules, CalibrationService
    from services.models.measured_runs import Judging
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.learning.evaluator.calibration import Costs
    from vouch.learning.evaluator.calibration_figures import Needed

    storage, how, label_settings = open_storage(settings), settings.calibration, settings.labels
    index, serving = open_live_index(settings, storage), serving or Registry(settings, storage.ledger.models)()
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
            partial(_capped, label_settings),
            settings.training.answers,
            settings.training.askers,
            partial(golden_questions, settings), settings.training.golden_readers,
        ),
        worlds=partial(judging.worlds, build_worlds(settings, storage.home).compare),
        clock=now,
    )


def gate_judged(settings: Settings, model: "EvaluatorModel", beside: Mapping[str, str]) -> "Sequence[Gate]":
    """What the gates say of an evaluator that would serve beside these registered ones, in the place of what serves.

    Raises Usage where settings name what serves in this process: the pair would be compared with itself.
    """
    from composition.model_registry.registered import registered_cross_encoder
    from composition.model_registry.registry import Registry
    from composition.model_registry.serving import Judge, Scorers
    from composition.models import load_kept_cross_encoder, own_judge
    from composition.storage import open_home_and_ledger
    from flows.shared.reporting import silent
    from vouch.adapters.ledger.registry.model_rows import JUDGE, RERANKER
    from vouch.errors import Usage

    if settings.evaluator.model or own_judge(settings):
        raise Usage("the evaluator or the judge that serves is named by settings, and not by the registry",
                    cure="unset VOUCH_EVALUATOR__JUDGE VOUCH_EVALUATOR__MODEL, then add it again")
    _, ledger = open_home_and_ledger(settings)
    with closing(ledger):
        kept = [registered_cross_encoder(settings, ledger.models.get(name), kind) for kind, name in beside.items()]
        now = Registry(settings, ledger.models)()
    loaded = {one.kind: load_kept_cross_encoder(settings, one.folder, one.weights) for one in kept}
    served = Judge(model, model.fingerprint)
    reranked_with = model.reranked_with
    scorers = Scorers(loaded.get(RERANKER), reranked_with, reranked_with, served, loaded[JUDGE], beside[JUDGE])
    then = replace(now, scorers=lambda: scorers, check=lambda: served)
    return open_calibration(settings, then).instead_of(open_calibration(settings, now), silent)


def _capped(rules: "LabelSettings", labels: Sequence["Label"]) -> Sequence["Label"]:
    from vouch.learning.labels.judgments import cap_judges
    from vouch.learning.labels.weights import cap_weights

    capped = cap_weights(labels, person_share=rules.person_share, day_share=rules.day_share)
    return cap_judges(capped, share=rules.judge_share)


def _evaluator(found: "Evaluator") -> "EvaluatorModel":
    from vouch.errors import Usage
    from vouch.learning.models.evaluator_model import EvaluatorModel

    if not isinstance(found, EvaluatorModel):
        raise Usage("the evaluator that serves cannot be calibrated", cure="use one that vouch train evaluator wrote")
    return found


def open_answer_evaluation(settings: Settings) -> "AnswerEvaluation":
    """Over the current version, with the models and the writer of the settings."""
    from composition import models
    from composition.lazy import Lazy
    from composition.model_registry.registry import Registry
    from composition.storage import open_live_index, open_storage
    from consumers.process import now
    from consumers.questions.answerer import Answerer
    from consumers.wiring.loop import loop_components
    from services.models.evaluation import AnswerEvaluation, Asker

    storage = open_storage(settings)
    index = open_live_index(settings, storage)
    index.follow()
    registry = Registry(settings, storage.ledger.models)
    components = Lazy(lambda: loop_components(settings, index, models.load_models(settings), registry()))
    answerer = Answerer(storage.permissions, index, components, now)
    return AnswerEvaluation(Asker(answerer.answer, index, storage.permissions, now, models.active_requests().join))
