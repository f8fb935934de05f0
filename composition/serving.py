"""What answers are made by: one consistent set for a whole answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from composition import models
from composition.lazy import Lazy
from composition.ranking import fusion as fusion_of_settings
from vouch.correction.steps.actor import SHIPPED, Actor
from vouch.ports.evaluator import Evaluator
from vouch.ports.fusion import Fusion
from vouch.ports.reranker import Reranker
from vouch.settings import Settings


class Agent(NamedTuple):
    """What the rules of further steps go by. `name`: as answers name them."""

    actor: Actor
    name: str


SHIPPED_AGENT = Agent(SHIPPED, "rules")


class Judge(NamedTuple):
    """`name`: as answers name it."""

    evaluator: Evaluator
    name: str


class Scorers(NamedTuple):
    """What puts passages in order, and what judges by its scores: they were trained together.

    `reranker` None: that of the settings. `reranked_by`: as answers name it.
    """

    reranker: Reranker | None
    reranked_by: str
    judge: Judge


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
    return Serving(fusion_of_settings(settings), lambda: scorers_of_settings(settings, judge()), judge)


def reranker_of(serving: Serving, settings: Settings) -> Reranker:
    """The one that serves, in memory. Raises ModelDown."""
    return serving.scorers().reranker or models.load_reranker(settings)


def scorers_of_settings(settings: Settings, judge: Judge, why: str = "") -> Scorers:
    """`why` it is not another reranker."""
    return Scorers(None, models.reranker_weights(settings) + why, judge)


def judge_of_settings(settings: Settings, why: str = "", reranked_with: str | None = None) -> Judge:
    """The evaluator of the settings, or the one that comes with vouch. Raises what `load_evaluator` raises."""
    evaluator = models.load_evaluator(settings, reranked_with) if reranked_with else models.load_evaluator(settings)
    return Judge(evaluator, evaluator.fingerprint + why)
