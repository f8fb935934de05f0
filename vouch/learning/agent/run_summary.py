"""What was done for a question, read off its outcome in labels and numbers: no words of it or a document."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import Literal

from vouch.correction.outcome import Outcome
from vouch.correction.planning.planners import PLANNED, THOUGHTS, Actor

Ending = Literal["covered", "final", "stop", "planned", "budget", "error"]
Metric = Literal["recall", "answer"]
METRICS: dict[Metric, str] = {
    "recall": "what was expected that reached the writer",
    "answer": "what was expected that the answer quotes",
}
"""What a question may be measured by: always a share, from 0 to 1."""
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
    """`metric`: one of METRICS, the same for all that are compared. `planned`: its own plan had no more steps."""

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
        "questions": len(runs), "metric": round(fmean(one.metric for one in runs), 4),
        "worth": round(mean_worth(runs), 4), "steps": round(fmean(len(one.actions) for one in runs), 2),
        "ms": round(fmean(one.ms for one in runs)),
    }


_FIRST = 6                              # passages of the first search that count as found
_FORMS = {thought: form for form, thought in THOUGHTS.items()}


def evidence_recall(outcome: Outcome, expected: Sequence[Collection[str]], *, needs_all: bool) -> float:
    """Share of what was expected that the writer was given; any of it is enough unless the question `needs_all`."""
    shown = {row["chunk_id"] for row in outcome.candidates if row["shown"]}
    return reached_share([not shown.isdisjoint(ids) for ids in expected], needs_all=needs_all)


def reached_share(reached: Sequence[bool], *, needs_all: bool) -> float:
    return sum(reached) / len(reached) if needs_all and reached else float(any(reached))


def observed(question: str, outcome: Outcome, expected: Sequence[Collection[str]], metric: float) -> Ran:
    """`expected`: for each thing that was to be found, the ids of the chunks that hold it."""
    answer = outcome.answer
    known = {row["chunk_id"] for row in outcome.candidates if row["rerank_rank"] and row["rerank_rank"] <= _FIRST}
    wanted, actions = set(chain.from_iterable(expected)), []
    for row, step in zip(outcome.steps, answer.steps, strict=True):
        new = [chunk_id for chunk_id, _ in row["found"] if chunk_id not in known]
        known.update(new)
        form = _FORMS.get(step.thought, "other") if step.by_rules else "other"
        actions.append(Action(form, len(new), len(wanted.intersection(new)), row["error"]))
    actions += [Action("other", 0, 0, order.error) for order in answer.orders if order.error]
    return Ran(question, metric, tuple(actions), _ended(outcome), answer.timings_ms.get("total", 0.0))


def _ended(outcome: Outcome) -> Ending:
    answer = outcome.answer
    if answer.stopped == "stop" and any(order.thought == PLANNED for order in answer.orders):
        return "planned"
    return answer.stopped or "covered"
