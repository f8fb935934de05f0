"""What people register: files of models, and which reranker and evaluator go together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from services.models.model_rows import scores_of
from vouch.adapters.ledger import RegisteredModel
from vouch.adapters.ledger.registry.going_back import OTHER, Fits, pair
from vouch.adapters.ledger.registry.model_rows import AGENT, CANDIDATE, EVALUATOR, FUSION, RERANKER
from vouch.adapters.ledger.registry.models import Models
from vouch.adapters.ledger.registry.registration import Made
from vouch.errors import BadInput, Usage
from vouch.learning.models import agent_model, evaluator_model, fusion_model, reranker_model
from vouch.learning.models.agent_model import AgentModel
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import parse_body, read_model
from vouch.learning.models.reranker_model import RerankerModel
from vouch.ports.models import MAXSIM

_CURE = "give a file or folder that vouch train fusion, evaluator, agent or judge wrote"
Keep = Callable[[Path], RerankerModel]    # copies the folder of a reranker
Model = FusionModel | EvaluatorModel | AgentModel | RerankerModel


class _AnyModel(BaseModel):
    """What says of which kind a file is."""

    kind: Literal["logistic-fusion", "logistic-evidence", "step-agent"]


def read_any(place: Path, keep: Keep) -> Model:
    """The model of a file or folder. Raises BadInput for a file without one or with a wrong one, and what `keep`
    raises.
    """
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
    """The model as it is registered; refused if its file says so."""
    kinds = {FusionModel: FUSION, EvaluatorModel: EVALUATOR, AgentModel: AGENT, RerankerModel: RERANKER}
    refused = model.refused if isinstance(model, FusionModel | AgentModel) else ""
    return Made(kinds[type(model)], model.fingerprint, model.model_dump(mode="json"), {}, refused)


_KINDS: Mapping[str, tuple[type[Model], str, str]] = {
    FUSION: (FusionModel, fusion_model.WHAT, fusion_model.CURE),
    EVALUATOR: (EvaluatorModel, evaluator_model.WHAT, evaluator_model.CURE),
    AGENT: (AgentModel, agent_model.WHAT, agent_model.CURE),
    RERANKER: (RerankerModel, reranker_model.WHAT, reranker_model.CURE),
}


def fingerprint_of(row: RegisteredModel) -> str:
    """Of a model that need not be one that may serve. Raises BadInput for a body that is no model."""
    kind, what, cure = _KINDS[row.kind]
    return parse_body(kind, row.body, row.name, what, cure).fingerprint


@dataclass(frozen=True)
class Pairing:
    models: Models
    fits: Fits

    def together(self, model: RegisteredModel) -> list[str]:
        """The candidates that it was trained with, or that were trained with it, oldest first."""
        if model.kind not in OTHER:
            return []
        mine = scores_of(model)
        if model.kind == EVALUATOR and mine == MAXSIM:
            return [MAXSIM]
        others = self.models.list(OTHER[model.kind])
        return [one.name for one in others if one.state == CANDIDATE and scores_of(one) == mine]

    def other(self, model: RegisteredModel, beside: str) -> str:
        """The kind of what is to serve beside it. Raises NotFound, and Usage for what does not serve beside it."""
        other = OTHER.get(model.kind)
        if other is None:
            raise Usage(f"a {model.kind} serves with any reranker and evaluator", cure="leave out --with")
        if not (other == RERANKER and beside == MAXSIM) and self.models.head(beside).kind != other:
            raise Usage(f"{beside} is no {other}", cure=f"name one: vouch models list --kind {other}")
        return other

    def refuse_apart(self, model: RegisteredModel, after: Mapping[str, str | None]) -> None:
        """Raises Usage where `after`, by kind what would serve, is a pair that does not fit and nobody would use."""
        if model.kind not in OTHER:
            return
        if why := self.fits.apart(*pair(after)):
            raise Usage(f"{model.name} cannot serve with the {OTHER[model.kind]} that would serve: {why}",
                        cure=self._cure(model))

    def _cure(self, model: RegisteredModel) -> str:
        fitting = self.together(model)
        if fitting:
            return f"promote both at once: vouch models promote {model.name} --with {fitting[-1]}"
        if model.kind == RERANKER:
            return ("train an evaluator with it (VOUCH_RERANKER__MODEL=FOLDER vouch train evaluator), add that, "
                    f"then: vouch models promote {model.name} --with EVALUATOR")
        return f"add its reranker (vouch models add FOLDER), then: vouch models promote {model.name} --with RERANKER"
