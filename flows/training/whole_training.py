"""A training with what comes after it, for the weekly flow and for the command alike."""

from dataclasses import dataclass
from datetime import datetime

from flows.runs.run import Perform, at_once
from flows.shared.reporting import Progress, silent
from flows.training.promotion import Advanced, Registrar, advance
from flows.training.retraining import Trained, TrainingComponents, train
from vouch.errors import NothingToLearn


@dataclass(frozen=True, slots=True)
class Whole:
    """`outcome` says so where there was nothing to learn."""

    outcome: Trained | NothingToLearn
    after: Advanced

    @property
    def trained(self) -> Trained | None:
        return self.outcome if isinstance(self.outcome, Trained) else None


def train_and_advance(
    components: TrainingComponents, registrar: Registrar, seed: int, now: datetime, *, progress: Progress = silent,
    perform: Perform = at_once,
) -> Whole:  # fmt: skip
    """Trains, then the shadow is promoted if it may be, and the new candidate shadows if nothing else does.

    Without anything to learn from, what shadows is still looked after. Raises what `train` and `advance` raise.
    """
    try:
        outcome: Trained | NothingToLearn = train(components, seed, now, progress=progress, perform=perform)
    except NothingToLearn as nothing:
        outcome = nothing
    candidate = outcome.model if isinstance(outcome, Trained) else None
    return Whole(outcome, perform("shadow and promote", lambda: advance(registrar, candidate, now)))
