"""Which of the tried actors is the best by validation questions, and whether it may serve: its gates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.learning.agent.bank import Bank, Tried, told_actor
from vouch.learning.agent.loop import Heard, Plan
from vouch.learning.agent.run_summary import Act, Ran, mean_worth, told_runs
from vouch.learning.promotion.gates import Gate, at_least, refusal

AGENT_GATES = ("questions", "validation", "worth", "metric", "two worlds")
_ERROR = 0.02                           # of an interval, over all actors that validation questions chose from
_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Least:
    """`loss`: the most of the metric that may be lost, by the lower end of the interval."""

    questions: int = 20
    validation: int = 20
    loss: float = 0.01


@dataclass(frozen=True, slots=True)
class Validated:
    """`best` None: nothing that was tried is better than the first on the training questions. Not `reacts`: whatever
    was tried, the metric of each question was the same."""

    first: tuple[Ran, ...]
    best: Tried | None
    runs: tuple[Ran, ...]
    chosen_from: int
    reacts: bool = True


def validate(bank: Bank, act: Act, questions: Sequence[str], most: int, heard: Heard) -> Validated:
    """The best by validation questions among the `most` worthiest of the training."""
    first = bank.tried[0]
    rivals = [one for one in bank.best(most) if one is not first]
    before = _run(first, act, questions, heard)
    ran = [(one, _run(one, act, questions, heard)) for one in rivals]
    if not ran:
        return Validated(before, None, before, 0)
    best, runs = max(ran, key=lambda pair: mean_worth(pair[1]))
    all_runs = [before, *(found for _, found in ran), *(one.runs for one in bank.tried)]
    return Validated(before, best, runs, len(ran), _reacts(all_runs))


def _reacts(all_runs: Iterable[Sequence[Ran]]) -> bool:
    """Where it does not, the metric says nothing of any step: that fewer do as well would hold for none, too."""
    known: dict[str, float] = {}
    return any(known.setdefault(run.question, run.metric) != run.metric for runs in all_runs for run in runs)


def gates_of(found: Validated, trained: int, least: Least, worlds: Gate | None, seed: int = 0) -> list[Gate]:
    """Of the best one against the first. `worlds` None: not looked at."""
    pairs = list(zip(found.runs, found.first, strict=True))
    level = 1 - _ERROR / max(1, found.chosen_from)
    worth = _interval([new.worth - old.worth for new, old in pairs], level, seed)
    metric = _interval([new.metric - old.metric for new, old in pairs], level, seed)
    label = "lower end of the interval of the gain over the actor that serves"
    gates = [
        at_least("questions", trained, least.questions, "that it was trained on"),
        at_least("validation", len(found.runs), least.validation, "validation questions"),
        Gate("worth", found.best is not None and worth[0] > 0.0 and found.reacts, worth[0], None,
             f"{label}; it has to be above 0" + ("" if found.reacts else ", and no actor changed any metric")),
        at_least("metric", metric[0], -least.loss, label),
    ]
    return gates if worlds is None else [*gates, worlds]


def report_of(bank: Bank, found: Validated, gates: Sequence[Gate], plan: Plan) -> dict[str, Any]:
    """Numbers and labels: no words of a question or a document."""
    actor = found.best.actor if found.best else bank.tried[0].actor
    pairs = list(zip(found.runs, found.first, strict=True))
    level = 1 - _ERROR / max(1, found.chosen_from)
    gain = [new.metric - old.metric for new, old in pairs]
    return {
        "refused": refusal(gates, AGENT_GATES),
        "actor": told_actor(actor),
        "plan": {"rounds": plan.rounds, "well": plan.well, "badly": plan.badly, "batch": plan.batch, "seed": plan.seed,
                 "metric": plan.metric},
        "figures": {
            "training": {"before": told_runs(bank.tried[0].runs),
                         "after": told_runs((found.best or bank.tried[0]).runs)},
            "validation": {
                "before": told_runs(found.first), "after": told_runs(found.runs),
                "gain": round(float(np.mean(gain)), 4), "gain_interval": _interval(gain, level, plan.seed),
                "better": sum(value > 0 for value in gain), "worse": sum(value < 0 for value in gain),
                "chosen_from": found.chosen_from,
            },
        },
        "gates": [gate.row() for gate in gates],
        "bank": bank.rows(),
    }


def _run(one: Tried, act: Act, questions: Sequence[str], heard: Heard) -> tuple[Ran, ...]:
    found = []
    for done, question in enumerate(questions):
        heard("validation", done, len(questions))
        found.append(act(one.actor, question))
    return tuple(found)


def _interval(differences: Sequence[float], level: float, seed: int) -> list[float]:
    """Percentile interval of the mean over questions that are drawn again."""
    values, dice = np.array(differences), np.random.default_rng(seed)
    means = values[dice.integers(0, len(values), (_DRAWS, len(values)))].mean(axis=1)
    return [round(float(end), 4) for end in np.quantile(means, [(1 - level) / 2, (1 + level) / 2])]
