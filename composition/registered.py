"""Models out of the registry: data to distrust, checked like files before they serve."""

from dataclasses import dataclass
from pathlib import Path

from composition.models import check_evaluator, encoder_weights
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger.registry.model_rows import AGENT, CANDIDATE, EVALUATOR, FUSION, RERANKER, RegisteredModel
from vouch.errors import Usage
from vouch.learning.models import agent_model, evaluator_model, fusion_model, reranker_model
from vouch.learning.models.agent_model import AgentModel
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.learning.models.model_file import check_name, parse_body
from vouch.learning.models.reranker_model import RerankerModel
from vouch.settings import Settings


@dataclass(frozen=True, slots=True)
class Kept:
    """A registered reranker on disk. `weights`: which one it is."""

    name: str
    weights: str
    folder: Path


def unusable(name: str) -> str:
    return f"the registered model {name} cannot be used"


def registered_fusion(settings: Settings, row: RegisteredModel) -> LearnedFusion:
    """Raises BadInput or Usage for one that cannot be used with these settings, ModelDown without an encoder."""
    _check_row(row, FUSION)
    model = parse_body(FusionModel, row.body, row.name, fusion_model.WHAT, fusion_model.CURE)
    check_name(row.name, model.fingerprint)
    fusion_model.check_fusion(model, row.name, encoder_weights(settings))
    return LearnedFusion(model, SnowballAnalyser(), row.name)


def registered_evaluator(settings: Settings, row: RegisteredModel, reranked_with: str | None = None) -> EvaluatorModel:
    """Raises what `registered_fusion` raises. None: whichever reranker it was trained with."""
    _check_row(row, EVALUATOR)
    model = parse_body(EvaluatorModel, row.body, row.name, evaluator_model.WHAT, evaluator_model.CURE)
    check_name(row.name, model.fingerprint)
    check_evaluator(settings, model, row.name, reranked_with or model.reranked_with)
    return model


def registered_reranker(settings: Settings, row: RegisteredModel) -> Kept:
    """Raises BadInput or Usage for one that cannot be used, ModelDown where its copy is missing or has changed."""
    from vouch.adapters.models.kept_rerankers import check_kept

    _check_row(row, RERANKER)
    model = parse_body(RerankerModel, row.body, row.name, reranker_model.WHAT, reranker_model.CURE)
    check_name(row.name, model.fingerprint)
    return Kept(row.name, model.weights, check_kept(settings.home, model))


def registered_agent(row: RegisteredModel) -> AgentModel:
    """Raises BadInput or Usage for one that cannot be used. It goes with any encoder, reranker and evaluator."""
    _check_row(row, AGENT)
    model = parse_body(AgentModel, row.body, row.name, agent_model.WHAT, agent_model.CURE)
    check_name(row.name, model.fingerprint)
    if model.refused:
        raise Usage(f"{row.name} is not to be served: {model.refused}", cure=agent_model.CURE)
    return model


def check_registered(settings: Settings, row: RegisteredModel) -> str:
    """Its fingerprint. Raises BadInput or Usage for one that cannot be used with these settings, ModelDown for a
    reranker whose copy is gone."""
    if row.kind == RERANKER:
        return registered_reranker(settings, row).weights
    if row.kind == EVALUATOR:
        return registered_evaluator(settings, row).fingerprint
    if row.kind == AGENT:
        return registered_agent(row).fingerprint
    return registered_fusion(settings, row).model.fingerprint


def _check_row(row: RegisteredModel, kind: str) -> None:
    if row.kind != kind:
        raise Usage(f"{row.name} is of the kind {row.kind}, not {kind}", cure="vouch models list shows all")
    if row.state != CANDIDATE:
        why = f": {row.reason}" if row.reason else ""
        raise Usage(f"{row.name} is {row.state}{why}", cure="choose a candidate: vouch models list")
