"""What an actor did for a question, in labels and numbers: no words of a question or a document."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from vouch.correction.steps.actor import Actor

Ending = Literal["covered", "final", "planned", "budget", "error"]
STEP_COST, FAULT_COST = 0.005, 0.02     # of the metric: two hundred needless steps outweigh a question


@dataclass(frozen=True, slots=True)
class Action:
    """`new`: passages that were not found before; `brought`: of those, how many were expected."""

    form: str                           # of a template, or "other"
    new: int
    brought: int
    error: str = ""                     # a label: an order that is not valid, a tool that took too long

    @property
    def idle(self) -> bool:
        return bool(self.error) or not self.new


@dataclass(frozen=True, slots=True)
class Ran:
    """`metric`: share of what was expected that reached the writer. `planned`: its own plan had no more steps."""

    question: str                       # its id
    metric: float
    actions: tuple[Action, ...]
    ended: Ending
    ms: float = 0.0

    @property
    def faults(self) -> int:
        return sum(bool(action.error) for action in self.actions)

    @property
    def worth(self) -> float:
        """The metric without what the steps cost: so a step that brings nothing is unlearned."""
        return self.metric - STEP_COST * len(self.actions) - FAULT_COST * self.faults


Act = Callable[[Actor, str], Ran]
"""Runs an actor on the question of this id."""


def mean_worth(runs: Iterable[Ran]) -> float:
    return fmean(one.worth for one in runs)


def told_runs(runs: Sequence[Ran]) -> dict[str, float | int]:
    return {
        "questions": len(runs), "recall": round(fmean(one.metric for one in runs), 4),
        "worth": round(mean_worth(runs), 4), "steps": round(fmean(len(one.actions) for one in runs), 2),
        "ms": round(fmean(one.ms for one in runs)),
    }
