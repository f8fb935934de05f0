"""What answers are made by: how deep is searched, what fuses, and one consistent set of models."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from composition import models
from composition.lazy import Lazy
from composition.models import encoder_weights
from vouch.adapters.analyser import SnowballAnalyser
from vouch.correction.planning.planners import SHIPPED, Actor
from vouch.correction.recipe_file import RecipeFile, load_recipe
from vouch.errors import VouchError
from vouch.ports.index import Fusion
from vouch.ports.models import Evaluator, Reranker
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.ranking import Ranking
from vouch.settings import Settings
from vouch.values.made_by import RULES

_log = logging.getLogger(__name__)
UNUSABLE = "the learned fusion of the settings cannot be used"


def fact_ranking(settings: Settings, fused: Fusion | None = None) -> Ranking:
    """For questions that ask for a fact, and for searches; `fused` by that of the settings unless told."""
    chosen = settings.retrieval
    return recipe_of(settings).facts.ranking(
        Ranking(chosen.top, chosen.rerank, chosen.engines, fused or fusion(settings)))


def list_ranking(settings: Settings, fused: Fusion | None = None) -> Ranking:
    """For questions that ask for a list."""
    chosen = settings.retrieval
    return recipe_of(settings).broad.ranking(
        Ranking(chosen.list_top, chosen.list_rerank, chosen.engines, fused or fusion(settings)))


def recipe_of(settings: Settings) -> RecipeFile:
    """Raises Usage for one that is not there, or is wrong."""
    return load_recipe(settings.recipe)


def fusion(settings: Settings) -> Fusion:
    """Reciprocal ranks, unless the settings name a learned fusion that can be used."""
    k = settings.retrieval.rrf_k
    try:
        return learned_fusion(settings) or ReciprocalRanks(k)
    except VouchError as error:
        _log.warning("%s: %s", UNUSABLE, error.cause)
        return ReciprocalRanks(k, UNUSABLE)


def learned_fusion(settings: Settings) -> Fusion | None:
    """None where the settings name none. Raises BadInput, Usage or ModelDown for one that cannot be used."""
    if not settings.fusion.model:
        return None
    from vouch.learning.models.fusion_model import LearnedFusion, load_fusion

    file = Path(settings.fusion.model).expanduser()
    return LearnedFusion(load_fusion(file, encoder_weights(settings)), SnowballAnalyser())


class Agent(NamedTuple):
    """What the rules of further steps go by. `name`: as answers name them."""

    actor: Actor
    name: str


SHIPPED_AGENT = Agent(SHIPPED, RULES)


class Judge(NamedTuple):
    """`name`: as answers name it."""

    evaluator: Evaluator
    name: str


class Scorers(NamedTuple):
    """What puts passages in order, what judges by its scores, and what reads for it: they were trained together.

    `reranker`, `judge_model` None: the settings' own. `reranked_by`, `read_by`: as answers name it; the latter is empty
    where the evaluator weighs no judge. `reranked_with`: whose scores they are, whatever answers call it.
    """

    reranker: Reranker | None
    reranked_by: str
    reranked_with: str
    judge: Judge
    judge_model: Reranker | None = None
    read_by: str = ""


@dataclass(frozen=True)
class Serving:
    """`scorers` loads what it has to, when it is first asked; `check` tells the judge that is meant and loads nothing.

    Both raise what `load_evaluator` raises.
    """

    fusion: Fusion
    scorers: Callable[[], Scorers]
    check: Callable[[], Judge]
    agent: Agent = SHIPPED_AGENT

    def judge(self) -> Judge:
        return self.scorers().judge


def without_registry(settings: Settings) -> Serving:
    """What serves where nothing is registered."""
    judge = Lazy(lambda: judge_of_settings(settings))
    return Serving(fusion(settings), lambda: scorers_of_settings(settings, judge()), judge)


def reranker_of(serving: Serving, settings: Settings) -> Reranker:
    """The one that serves, in memory. Raises ModelDown."""
    return serving.scorers().reranker or models.load_reranker(settings)


def judge_model_of(scorers: Scorers, settings: Settings) -> Reranker | None:
    """The judge that serves, in memory; None where the evaluator weighs none. Raises ModelDown."""
    if not scorers.judge.evaluator.judged_with:
        return None
    return scorers.judge_model or models.load_judge(settings)


def scorers_of_settings(settings: Settings, judge: Judge, why: str = "", why_read: str = "") -> Scorers:
    """`why` it is not another reranker, `why_read` not another judge."""
    weighed, weights = judge.evaluator.judged_with, models.reranker_weights(settings)
    return Scorers(None, weights + why, weights, judge, None, weighed and weighed + why_read)


def judge_of_settings(settings: Settings, why: str = "") -> Judge:
    """The evaluator of the settings, or the one that comes with vouch. Raises what `load_evaluator` raises."""
    evaluator = models.load_evaluator(settings)
    return Judge(evaluator, evaluator.fingerprint + why)
