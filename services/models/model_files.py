"""What people register: files of models and folders of rerankers."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from vouch.adapters.ledger.registry.model_rows import AGENT, EVALUATOR, FUSION, RERANKER
from vouch.adapters.ledger.registry.registration import Made
from vouch.errors import BadInput
from vouch.learning.models import agent_model, evaluator_model, fusion_model
from vouch.learning.models.agent_model import AgentModel
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import read_model
from vouch.learning.models.reranker_model import RerankerModel

_CURE = "give a file or folder that vouch train fusion, evaluator, agent or judge wrote"
Keep = Callable[[Path], RerankerModel]    # copies the folder of a reranker
Model = FusionModel | EvaluatorModel | AgentModel | RerankerModel


class _AnyModel(BaseModel):
    """What says of which kind a file is."""

    kind: Literal["logistic-fusion", "logistic-evidence", "step-agent"]


def read_any(place: Path, keep: Keep) -> Model:
    """Raises BadInput for a file that holds none, or something wrong, and what `keep` raises."""
    if place.is_dir():
        if not (place / "tokenizer.json").is_file():
            raise BadInput(f"{place} holds no cross-encoder: tokenizer.json is missing", cure=_CURE)
        return keep(place)
    kind = read_model(_AnyModel, place, "a learned fusion, an evaluator or an agent", _CURE).kind
    if kind == "logistic-fusion":
        return read_model(FusionModel, place, fusion_model.WHAT, fusion_model.CURE)
    if kind == "step-agent":
        return read_model(AgentModel, place, agent_model.WHAT, agent_model.CURE)
    return read_model(EvaluatorModel, place, evaluator_model.WHAT, evaluator_model.CURE)


def made_of(model: Model) -> Made:
    """As it is registered, refused if its file says so."""
    kinds = {FusionModel: FUSION, EvaluatorModel: EVALUATOR, AgentModel: AGENT, RerankerModel: RERANKER}
    refused = model.refused if isinstance(model, FusionModel | AgentModel) else ""
    return Made(kinds[type(model)], model.fingerprint, model.model_dump(mode="json"), {}, refused)
