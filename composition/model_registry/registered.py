"""Models out of the registry: distrusted, checked, loaded again after a failure, and which fit."""

import logging
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from composition.models import check_evaluator, encoder_weights, load_evaluator, own_judge, reranker_weights
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger.registry.model_rows import (
    AGENT,
    CANDIDATE,
    EVALUATOR,
    FUSION,
    JUDGE,
    RERANKER,
    RegisteredModel,
)
from vouch.adapters.ledger.registry.models import Models
from vouch.errors import Busy, LedgerDown, Usage, VouchError
from vouch.learning.models import agent_model, cross_encoder_model, evaluator_model, fusion_model
from vouch.learning.models.agent_model import AgentModel
from vouch.learning.models.cross_encoder_model import CrossEncoderModel
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.learning.models.model_file import check_name, parse_body
from vouch.settings import Settings


@dataclass(frozen=True, slots=True)
class Kept:
    """A registered reranker or judge on disk. `weights`: which one it is."""

    kind: str
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


class Together(NamedTuple):
    """What serves together. `kept`: the registered ones of the reranker and the judge."""

    kept: tuple[Kept, ...]
    evaluator: EvaluatorModel


def registered_evaluator(
    settings: Settings, row: RegisteredModel, reranked_with: str | None = None, judge: str | None = None
) -> EvaluatorModel:
    """Raises what `registered_fusion` raises.

    Without `reranked_with`: beside whichever reranker and judge it was trained with. `judge` None: that of the
    settings.
    """
    _check_row(row, EVALUATOR)
    model = parse_body(EvaluatorModel, row.body, row.name, evaluator_model.WHAT, evaluator_model.CURE)
    check_name(row.name, model.fingerprint)
    if reranked_with is None:
        reranked_with, judge = model.reranked_with, model.judged_with
    check_evaluator(settings, model, row.name, reranked_with, judge)
    return model


def registered_cross_encoder(settings: Settings, row: RegisteredModel, kind: str) -> Kept:
    """Raises BadInput or Usage for one that cannot be used, ModelDown where its copy is missing or has changed."""
    from vouch.adapters.models.scorers.kept_cross_encoders import check_kept

    _check_row(row, kind)
    model = parse_body(CrossEncoderModel, row.body, row.name, cross_encoder_model.WHAT, cross_encoder_model.CURE)
    check_name(row.name, model.fingerprint)
    return Kept(kind, row.name, model.weights, check_kept(settings.home, model))


def registered_together(settings: Settings, store: Models, reranker: str, judge: str, evaluator: str) -> Together:
    """Those of these names; empty: that of the settings. Raises for one that cannot be used, or not beside the others.

    A registered judge has to be weighed: nobody would hear it otherwise.
    """
    named = {kind: name for kind, name in ((RERANKER, reranker), (JUDGE, judge)) if name}
    kept = {kind: registered_cross_encoder(settings, store.get(name), kind) for kind, name in named.items()}
    reranked_with = kept[RERANKER].weights if reranker else reranker_weights(settings)
    judged_with = kept[JUDGE].weights if judge else None
    if evaluator:
        model = registered_evaluator(settings, store.get(evaluator), reranked_with, judged_with)
    else:
        model = load_evaluator(settings, reranked_with, judged_with)
    if judge and not model.judged_with:
        raise Usage(f"the evaluator {evaluator or 'of the settings'} weighs no judge",
                    cure="train one with it: vouch train evaluator --questions FILE")
    return Together(tuple(kept.values()), model)


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
    reranker or judge whose copy is gone."""
    if row.kind in (RERANKER, JUDGE):
        return registered_cross_encoder(settings, row, row.kind).weights
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


RETRY_S = 60.0                          # its file, or memory for it, may be there again by then
DOWN = (LedgerDown, Busy)               # it says nothing about a model
T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass
class Loads:
    clock: Callable[[], float]
    _failed: dict[str, float] = field(default_factory=dict)     # when, by name
    _told: dict[str, set[str]] = field(default_factory=dict)    # reasons, by name

    def load(self, name: str, make: Callable[[], T]) -> T | None:
        """None for a model that cannot be used. Raises LedgerDown or Busy."""
        try:
            model = make()
        except DOWN:
            raise
        except VouchError as error:
            self._failed[name] = self.clock()
            self._tell(name, error.cause)
            return None
        self._failed.pop(name, None)
        return model

    def due(self, name: str) -> bool:
        """Whether its last load failed, a minute ago or longer."""
        return self.clock() - self._failed.get(name, math.inf) >= RETRY_S

    def forget_all_but(self, names: Collection[str]) -> None:
        """Of the others nothing is known any more; should one come back, its reasons are logged again."""
        for kept in (self._failed, self._told):
            for name in kept.keys() - set(names):
                del kept[name]

    def _tell(self, name: str, cause: str) -> None:
        told = self._told.setdefault(name, set())
        if cause not in told:
            told.add(cause)
            _log.warning("%s: %s", unusable(name), cause)


@dataclass(frozen=True)
class Fitting:
    """Implements `Fits`, for the registry that `store` is. A ledger that is down says nothing about a model: raised."""

    settings: Settings
    store: Models

    def unusable(self, name: str) -> str:
        """Why the model cannot be used with these settings; empty if it can."""
        try:
            check_registered(self.settings, self.store.get(name))
        except DOWN:
            raise
        except VouchError as error:
            return error.cause
        return ""

    def apart(self, names: Mapping[str, str | None]) -> str:
        """Why these, by kind, must not serve together; empty if they may. None, or left out: that of the settings.

        A reranker or a judge that the settings name wins over a registered one.
        """
        reranker, judge, evaluator = (names.get(kind) or "" for kind in (RERANKER, JUDGE, EVALUATOR))
        try:
            registered_together(
                self.settings, self.store, "" if self.settings.reranker.model else reranker,
                "" if own_judge(self.settings) else judge, evaluator)
        except DOWN:
            raise
        except VouchError as error:
            return error.cause
        return ""
