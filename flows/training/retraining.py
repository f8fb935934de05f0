"""A training from the labels in the ledger, step after step, and the gates that each model passes.

Each step may be repeated. Only `register` changes anything, and the same
training of the same labels finds what it registered before. What was searched
is kept until then, for the training after one that was killed.
"""

import contextlib
import fcntl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from flows.runs.run import Perform, at_once
from flows.shared.home_files.folders import forget_searches
from flows.shared.noted_runs import noted
from flows.shared.reporting import Progress, silent
from flows.training.finding import Finder, golden_candidates
from flows.training.kept_searches import Keeper
from flows.training.leakage_check import TwoWorlds, sweep_worlds
from flows.training.material import collect_labels, gather
from flows.training.training_files import write_report
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry import registration
from vouch.adapters.ledger.registry.model_rows import FUSION, RegisteredModel
from vouch.adapters.ledger.registry.registration import Made
from vouch.errors import Busy
from vouch.learning.collections.golden import GoldenQuestion, asker_of, of_the_public
from vouch.learning.drift.drift_look import Drift
from vouch.learning.labels.weak_labels import LabelRules
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.learning.promotion.gates import GATES_OF_FILES, Gate, refusal, two_worlds_gate, weights_gate
from vouch.learning.training.retraining import (
    Fitted,
    GoldenLists,
    Judged,
    Least,
    answerable,
    fit_split,
    judge,
    not_worse,
)
from vouch.learning.training.training_report import AGAINST
from vouch.learning.training.training_split import Split, split
from vouch.learning.training.weighing import Material, Shares


@dataclass(frozen=True)
class TrainingRules:
    """What the settings say. `golden` reads questions with known answers."""

    least: Least
    public_only: bool
    weeks: float
    golden: Callable[[], Sequence[GoldenQuestion]]
    readers: Mapping[str, str]
    answers: int = 20_000               # whose labels count, at most


@dataclass(frozen=True)
class TrainingComponents:
    """`current` is the model that ranks now, None for reciprocal ranks; `shares` bound who steers it; `drift` compares
    the answers of that moment with a reference."""

    home: Path
    ledger: Ledger
    finder: Finder
    rules: TrainingRules
    shares: Shares
    worlds: TwoWorlds
    labels: LabelRules
    made_with: Callable[[], Mapping[str, str]]
    current: Callable[[], FusionModel | None]
    keeper: Keeper = field(default_factory=Keeper)
    drift: Callable[[datetime], Drift] | None = None


@dataclass(frozen=True)
class Trained:
    """`new` is false for a training that was registered before; `folder` holds its report."""

    model: RegisteredModel
    new: bool
    folder: Path

    def row(self) -> dict[str, Any]:
        """The JSON object `vouch train fusion --json` prints."""
        found = self.model
        return {"name": found.name, "state": found.state, "reason": found.reason, "new": self.new,
                "report": str(self.folder), **found.report}


@contextlib.contextmanager
def sole_training(home: Path) -> Iterator[None]:
    """Raises Busy at once while another training of the home is under way; a killed one frees its lock."""
    with (home / "training.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy("another training is running on this home", cure="wait until it ends, then run again") from error
        yield


def train(
    components: TrainingComponents, seed: int, now: datetime, *, progress: Progress = silent,
    perform: Perform = at_once,
) -> Trained:  # fmt: skip
    """Makes the labels anew, fits, judges and registers.

    Raises NothingToLearn, Busy beside another training, and BadInput or Usage for golden questions that cannot be read.
    """
    with sole_training(components.home), noted(components.ledger, "train"):
        sweep_worlds(components.home, time.time())
        components.rules.golden()           # a file that cannot be read is told before hours of searching
        perform("labels", lambda: make_labels(components, now, progress))
        rules = components.rules
        material = perform("gather", lambda: gather(
            components.ledger, components.finder, rules.public_only, progress, most=rules.answers,
            keeper=components.keeper))
        current = components.current()
        sides, fitted = perform("fit", lambda: fit(components, material, current, seed, progress))
        judged = perform("gates", lambda: judge_fitted(components, sides, fitted, current, progress))
        done = perform("register", lambda: register(components, judged, current, now))
        forget_searches(components.home)
        return done


def make_labels(components: TrainingComponents, now: datetime, progress: Progress = silent) -> None:
    collect_labels(components.ledger, components.labels, components.finder.analyser.terms, now, progress)


def fit(
    components: TrainingComponents, material: Material, current: FusionModel | None, seed: int, progress: Progress
) -> tuple[Split, Fitted]:
    progress("fitting", 0, 0)
    rules, analyser = components.rules, components.finder.analyser
    sides = split(material, analyser.terms, components.shares, public_only=rules.public_only,
                  weeks=rules.weeks)
    terms = current.terms if current else None
    return sides, fit_split(sides, terms, seed=seed, fingerprints=components.made_with())


def judge_fitted(
    components: TrainingComponents, sides: Split, fitted: Fitted, current: FusionModel | None, progress: Progress
) -> Judged:
    golden = golden_lists(components, progress)
    worlds = world_differences(components, fitted.model, progress)
    return judge(sides, fitted, current.terms if current else None, components.rules.least, golden, worlds)


def golden_lists(components: TrainingComponents, progress: Progress) -> GoldenLists:
    """What no model may rank worse than the current one: learning from the public alone, what the public asks.

    A gate's figure stands in a model that it refuses, so hidden documents must not reach it. Raises BadInput or Usage.
    """
    rules = components.rules
    asked = of_the_public(rules.golden(), rules.readers) if rules.public_only else rules.golden()
    asked = [one for one in asked if one.gold]
    found = golden_candidates(components.finder, asked, rules.readers, progress, components.keeper)
    readers = [asker_of(one, rules.readers) for one in asked]
    return answerable(zip(readers, found, strict=True), public_only=rules.public_only)


def world_differences(components: TrainingComponents, model: FusionModel, progress: Progress) -> tuple[int, int]:
    """How many scores differ between two worlds that must not, and how many were compared."""
    progress("two worlds", 0, 0)
    return components.worlds.differences(LearnedFusion(model, components.finder.analyser))


def register(
    components: TrainingComponents, judged: Judged, current: FusionModel | None, now: datetime
) -> Trained:
    """Kept in the registry with its state, reason and report, which is written to files as well.

    Drift stands in these files alone, and where nothing but the public is learned from, nowhere: it is of all answers.
    """
    report = {**judged.report, AGAINST: current.fingerprint if current else ""}
    made = Made(FUSION, judged.model.fingerprint, judged.model.model_dump(mode="json"), report, judged.reason,
                judged=True)
    row, new = registration.register(components.ledger.models, made, now)
    drift = None if components.rules.public_only or components.drift is None else components.drift(now)
    return Trained(row, new, write_report(components.home, row.name, row.report, drift))


def gated(components: TrainingComponents, model: FusionModel, progress: Progress) -> tuple[FusionModel, list[Gate]]:
    """The model, refused where a gate is not passed, and what each gate found; no gate looks at one that is refused.

    Raises BadInput or Usage for golden questions that cannot be read.
    """
    if model.refused:
        return model, []
    golden = golden_lists(components, progress)
    current = components.current()
    gates = [
        not_worse(model, current.terms if current else None, golden),
        weights_gate(model),
        two_worlds_gate(*world_differences(components, model, progress)),
    ]
    return model.model_copy(update={"refused": refusal(gates, GATES_OF_FILES)}), gates
