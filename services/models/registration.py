"""What people register: files and folders of models, and which reranker, judge and evaluator go together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from services.models.model_rows import CROSS_ENCODERS, scores_of
from vouch.adapters.ledger import RegisteredModel
from vouch.adapters.ledger.registry.going_back import TOGETHER, Fits
from vouch.adapters.ledger.registry.model_rows import AGENT, CANDIDATE, EVALUATOR, FUSION, JUDGE, RERANKER
from vouch.adapters.ledger.registry.models import Models
from vouch.adapters.ledger.registry.registration import Made
from vouch.errors import BadInput, Usage
from vouch.learning.models import agent_model, cross_encoder_model, evaluator_model, fusion_model
from vouch.learning.models.agent_model import AgentModel
from vouch.learning.models.cross_encoder_model import CrossEncoderModel
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import parse_body, read_model
from vouch.ports.models import MAXSIM

_CURE = "give a file or folder that vouch train fusion, evaluator, agent or judge wrote"
Check = Callable[[CrossEncoderModel], None]
Keep = Callable[[Path, Check], CrossEncoderModel]    # copies the folder of a cross-encoder, if the check lets it
Model = FusionModel | EvaluatorModel | AgentModel | CrossEncoderModel


class _AnyModel(BaseModel):
    """What says of which kind a file is."""

    kind: Literal["logistic-fusion", "logistic-evidence", "step-agent"]


def read_any(place: Path, keep: Keep, check: Check) -> Model:
    """The model of a file or folder. Raises BadInput for a file without one or with a wrong one, and what `keep`
    raises.
    """
    if place.is_dir():
        if not (place / "tokenizer.json").is_file():
            raise BadInput(f"{place} holds no cross-encoder: tokenizer.json is missing", cure=_CURE)
        return keep(place, check)
    kind = read_model(_AnyModel, place, "a learned fusion, an evaluator or an agent", _CURE).kind
    if kind == "logistic-fusion":
        return read_model(FusionModel, place, fusion_model.WHAT, fusion_model.CURE)
    if kind == "step-agent":
        return read_model(AgentModel, place, agent_model.WHAT, agent_model.CURE)
    return read_model(EvaluatorModel, place, evaluator_model.WHAT, evaluator_model.CURE)


def made_of(model: Model, place: str = RERANKER) -> Made:
    """The model as it is registered; refused if its file says so. `place`: the kind that a cross-encoder serves as."""
    kinds = {FusionModel: FUSION, EvaluatorModel: EVALUATOR, AgentModel: AGENT, CrossEncoderModel: place}
    refused = model.refused if isinstance(model, FusionModel | AgentModel) else ""
    return Made(kinds[type(model)], model.fingerprint, model.model_dump(mode="json"), {}, refused)


_KINDS: Mapping[str, tuple[type[Model], str, str]] = {
    FUSION: (FusionModel, fusion_model.WHAT, fusion_model.CURE),
    EVALUATOR: (EvaluatorModel, evaluator_model.WHAT, evaluator_model.CURE),
    AGENT: (AgentModel, agent_model.WHAT, agent_model.CURE),
    **dict.fromkeys(CROSS_ENCODERS, (CrossEncoderModel, cross_encoder_model.WHAT, cross_encoder_model.CURE)),
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
        if model.kind not in TOGETHER:
            return []
        if model.kind != EVALUATOR:
            return self._candidates(EVALUATOR, scores_of(model, model.kind), model.kind)
        return [*self._rerankers(model), *self._candidates(JUDGE, scores_of(model, JUDGE))]

    def beside(self, evaluator: RegisteredModel) -> dict[str, str]:
        """By kind the registered ones that it was trained with. Raises Usage where one of them is missing."""
        rerankers, judges = self._rerankers(evaluator), self._candidates(JUDGE, scores_of(evaluator, JUDGE))
        for found, what, how in ((rerankers, RERANKER, ""), (judges, JUDGE, " --kind judge")):
            if not found:
                raise Usage(f"the {what} that it was trained with is not registered",
                            cure=f"first: vouch models add FOLDER{how}")
        return ({} if rerankers == [MAXSIM] else {RERANKER: rerankers[-1]}) | {JUDGE: judges[-1]}

    def other(self, model: RegisteredModel, beside: str) -> str:
        """The kind of what is to serve beside it. Raises NotFound, and Usage for what does not serve beside it."""
        if model.kind not in TOGETHER:
            raise Usage(f"a {model.kind} serves with any reranker, judge and evaluator", cure="leave out --with")
        others = CROSS_ENCODERS if model.kind == EVALUATOR else (EVALUATOR,)
        kind = RERANKER if beside == MAXSIM else self.models.head(beside).kind
        if kind not in others:
            raise Usage(f"{beside} is no {' and no '.join(others)}",
                        cure=f"name one: vouch models list --kind {others[0]}")
        return kind

    def judge_of(self, evaluator: str, current: str | None) -> dict[str, str | None]:
        """The change with which the judge that this evaluator was trained with serves: a registered one, or that of
        the settings; none where it is `current`."""
        fitting = self._candidates(JUDGE, scores_of(self.models.get(evaluator), JUDGE))
        judge = current if current in fitting else fitting[-1] if fitting else None
        return {} if judge == current else {JUDGE: judge}

    def refuse_apart(self, model: RegisteredModel, after: Mapping[str, str | None]) -> None:
        """Raises Usage where `after`, by kind what would serve, does not fit, so that nobody would use it."""
        if model.kind not in TOGETHER:
            return
        if why := self.fits.apart(after):
            others = CROSS_ENCODERS if model.kind == EVALUATOR else (EVALUATOR,)
            raise Usage(f"{model.name} cannot serve with the {' and the '.join(others)} that would serve: {why}",
                        cure=self._cure(model, after))

    def _rerankers(self, evaluator: RegisteredModel) -> list[str]:
        weights = scores_of(evaluator, RERANKER)
        return [MAXSIM] if weights == MAXSIM else self._candidates(RERANKER, weights)

    def _candidates(self, kind: str, weights: str, scores: str = "") -> list[str]:
        """Those of the kind that make these scores, or weigh them as those of the kind `scores`."""
        return [one.name for one in self.models.list(kind)
                if one.state == CANDIDATE and weights and scores_of(one, scores) == weights]

    def _cure(self, model: RegisteredModel, after: Mapping[str, str | None]) -> str:
        promote = f"vouch models promote {model.name}"
        if model.kind in CROSS_ENCODERS:
            if fitting := self.together(model):
                return f"promote both at once: {promote} --with {fitting[-1]}"
            setting = "VOUCH_RERANKER__MODEL" if model.kind == RERANKER else "VOUCH_EVALUATOR__JUDGE"
            return (f"train an evaluator with it ({setting}=FOLDER vouch train evaluator), add that, "
                    f"then: {promote} --with EVALUATOR")
        rerankers = self._rerankers(model)
        if not rerankers:
            return f"add its reranker (vouch models add FOLDER), then: {promote} --with RERANKER"
        if (after[RERANKER] or MAXSIM) not in rerankers:
            return f"promote both at once: {promote} --with {rerankers[-1]}"
        return f"add its judge (vouch models add FOLDER --kind judge), then: {promote}"
