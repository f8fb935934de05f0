"""The memory bank of a training: which actors were tried, what they did, and why they were proposed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vouch.correction.planning.planners import Actor
from vouch.learning.agent.run_summary import Ran, mean_worth, told_runs
from vouch.learning.models.agent_model import model_of

_SEQUENCES = 8                          # of an actor, in a report


@dataclass(frozen=True, slots=True)
class Tried:
    """`screened`: on the batch alone, as it was no better there. `by`: what proposed it."""

    round: int
    actor: Actor
    why: str
    by: str
    runs: tuple[Ran, ...]
    screened: bool
    kept: bool


@dataclass
class Bank:
    """Grows by `add`. An actor is tried once."""

    tried: list[Tried] = field(default_factory=list)

    def add(self, one: Tried) -> None:
        self.tried.append(one)

    def knows(self, actor: Actor) -> bool:
        return any(one.actor == actor for one in self.tried)

    def failed(self, why: str) -> int:
        """How often a change of this kind was tried in vain."""
        return sum(one.why == why and not one.kept for one in self.tried)

    def best(self, most: int) -> list[Tried]:
        """Those that ran on all training questions, the worthiest first; of equal ones the earliest."""
        whole = [one for one in self.tried if one.kept]
        return sorted(whole, key=lambda one: (-mean_worth(one.runs), one.round))[:most]

    def rows(self) -> list[dict[str, Any]]:
        """For the report: sequences as labels and numbers."""
        return [
            {
                "round": one.round, "by": one.by, "why": one.why, "kept": one.kept, "on": _where(one),
                "actor": told_actor(one.actor), **told_runs(one.runs), "sequences": _sequences(one.runs),
            }
            for one in self.tried
        ]  # fmt: skip


def told_actor(actor: Actor) -> Mapping[str, Any]:
    return model_of(actor).model_dump(mode="json", include={"templates", "steps", "follows", "instructions"})


def _where(one: Tried) -> str:
    return "batch" if one.screened else "training questions"


def _sequences(runs: Sequence[Ran]) -> dict[str, int]:
    """The most frequent ones: "part, bridge → covered" and how often."""
    found = Counter(f"{', '.join(action.form for action in one.actions) or 'none'} → {one.ended}" for one in runs)
    return dict(found.most_common(_SEQUENCES))
