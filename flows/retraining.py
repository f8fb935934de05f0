"""A training from the labels in the ledger, step after step. Commands and the Prefect flow run this one.

Each step may be repeated. Only `register` changes anything, and the same
training of the same labels finds what it registered before.
"""

import contextlib
import fcntl
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows.finding import Finder, golden_candidates
from flows.labels import collect_labels
from flows.progress import Progress, silent
from flows.run import Perform, at_once
from flows.training_files import write_report
from flows.two_worlds import TwoWorlds
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.model_rows import CANDIDATE, REFUSED, RegisteredModel
from vouch.errors import BadAccess, Busy, Usage
from vouch.learning.fusion_model import FusionModel, LearnedFusion
from vouch.learning.golden import GoldenQuestion
from vouch.learning.label_rules import LabelRules
from vouch.learning.labeled_lists import Row, usable
from vouch.learning.labels import Label
from vouch.learning.model_file import registered_name
from vouch.learning.retraining import Fitted, Judged, Least, fit_split, judge
from vouch.learning.training_split import Material, Split, allowed, split
from vouch.learning.weighing import Shares, weigher

FUSION = "fusion"
_BATCH = 200                            # answers read at once


@dataclass(frozen=True)
class TrainingRules:
    """What the settings say. `golden` reads questions with known answers."""

    least: Least
    public_only: bool
    weeks: float
    golden: Callable[[], Sequence[GoldenQuestion]]
    readers: Mapping[str, str]


@dataclass(frozen=True)
class TrainingComponents:
    """`current` is the model that ranks now, None for reciprocal ranks; `shares` bound who steers it."""

    home: Path
    ledger: Ledger
    finder: Finder
    rules: TrainingRules
    shares: Shares
    worlds: TwoWorlds
    labels: LabelRules
    made_with: Callable[[], Mapping[str, str]]
    current: Callable[[], FusionModel | None]


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

    Raises Usage or BadInput without anything to learn from, Busy beside another training.
    """
    with sole_training(components.home):
        perform("labels", lambda: make_labels(components, now, progress))
        material = perform("gather", lambda: gather(components, progress))
        current = components.current()
        sides, fitted = perform("fit", lambda: fit(components, material, current, seed, progress))
        judged = perform("gates", lambda: judge_fitted(components, sides, fitted, current, progress))
        return perform("register", lambda: register(components, judged, now))


def make_labels(components: TrainingComponents, now: datetime, progress: Progress = silent) -> None:
    collect_labels(components.ledger, components.labels, components.finder.analyser.terms, now, progress)


def gather(components: TrainingComponents, progress: Progress = silent) -> Material:
    """The labels, and the candidates that they are about. Raises Usage if there are none."""
    labels = allowed(components.ledger.labels.list(), public_only=components.rules.public_only)
    if not labels:
        raise Usage("there is nothing to learn from: not one label",
                    cure="judge with vouch label, let people vote, or give --questions FILE")
    names = sorted({label.answer_id for label in labels if label.answer_id})
    recorded: dict[str, Sequence[Row]] = {}
    for done, name in enumerate(names, 1):
        recorded[name] = sorted(components.ledger.answers.candidates(name), key=lambda row: str(row["chunk_id"]))
        progress("reading candidates", done, len(names))
    with_rows = {name for name, rows in recorded.items() if any(map(usable, rows))}
    found = {label.question_key for label in labels if label.answer_id in with_rows}
    judged = [label for label in labels if label.source == "judged" and label.question_key not in found]
    searched = _searched(components, judged, progress)
    told = [one for some in components.ledger.history.answered(_BATCH) for one in some if one.answer["id"] in recorded]
    return Material(
        labels, recorded, searched, {one.answer["id"]: one.question.asker for one in told},
        {one.answer["id"]: one.answer.get("swapped") or () for one in told},
    )


def _searched(components: TrainingComponents, labels: Sequence[Label], progress: Progress) -> dict[str, Sequence[Row]]:
    """What the readers of a judged question find today, for questions without a recorded answer."""
    asked = {label.question_key: label for label in labels}
    rows: dict[str, Sequence[Row]] = {}
    for done, (key, label) in enumerate(sorted(asked.items()), 1):
        with contextlib.suppress(BadAccess):        # of a conversation: who is in it is not known here
            rows[key] = components.finder.rows(label.question, label.audience)
        progress("search", done, len(asked))
    return rows


def fit(
    components: TrainingComponents, material: Material, current: FusionModel | None, seed: int, progress: Progress
) -> tuple[Split, Fitted]:
    progress("fitting", 0, 0)
    rules, analyser = components.rules, components.finder.analyser
    sides = split(material, analyser.terms, weigher(material, components.shares), public_only=rules.public_only,
                  weeks=rules.weeks)
    terms = current.terms if current else None
    return sides, fit_split(sides, terms, seed=seed, fingerprints=components.made_with())


def judge_fitted(
    components: TrainingComponents, sides: Split, fitted: Fitted, current: FusionModel | None, progress: Progress
) -> Judged:
    rules = components.rules
    golden = list(golden_candidates(components.finder, rules.golden(), rules.readers, progress))
    progress("two worlds", 0, 0)
    worlds = components.worlds.differences(LearnedFusion(fitted.model, components.finder.analyser))
    return judge(sides, fitted, current.terms if current else None, rules.least, golden, worlds)


def register(components: TrainingComponents, judged: Judged, now: datetime) -> Trained:
    """Kept in the registry with its state, reason and report, which is written to files as well."""
    models, body = components.ledger.models, judged.model.model_dump(mode="json")
    known = models.list(FUSION)
    row = next((one for one in known if one.body == body), None)
    new = row is None
    if row is None:
        name = _free_name(judged.model.fingerprint, now, {one.name for one in known})
        state = REFUSED if judged.reason else CANDIDATE
        row = RegisteredModel(name, FUSION, state, body, judged.report, judged.reason or None, now)
        models.add(row)
    return Trained(row, new, write_report(components.home, row.name, row.report))


def _free_name(fingerprint: str, now: datetime, taken: set[str]) -> str:
    """The same weights may have been judged by other rules on the same day."""
    name = plain = registered_name(FUSION, now.astimezone(UTC).date(), fingerprint)
    head, _, digits = plain.rpartition("-")
    number = 1
    while name in taken:
        number += 1
        name = f"{head}-{number}-{digits}"
    return name
