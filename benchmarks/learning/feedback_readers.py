"""Simulated readers: they ask, look at the first places most, and vote on what they see, a fifth of them wrongly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

import numpy as np

from vouch.learning.labels.label import Label
from vouch.learning.labels.weak_labels import LabelRules
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.learning.training.label_places import Row
from vouch.learning.training.retraining import FusionTerms, scores
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

SHOWN = 10
RULES = LabelRules()


@dataclass(frozen=True)
class Readers:
    """A reader looks at place k with 1/k**steep, and votes on what is there; of the votes `wrong` say the opposite."""

    people: int = 60
    each: int = 4                       # readers who ask a question
    steep: float = 1.0
    wrong: float = 0.2


@dataclass(frozen=True)
class Week:
    labels: Sequence[Label]
    recorded: Mapping[str, Sequence[Row]]


def week(
    readers: Readers, asked: Sequence[JudgedCandidates], terms: FusionTerms, monday: datetime,
    random: np.random.Generator,
) -> Week:  # fmt: skip
    """What is left of a week in which these questions were asked, and ranked by `terms`."""
    labels: list[Label] = []
    recorded: dict[str, Sequence[Row]] = {}
    for one in asked:
        shown = _shown(one, terms)
        for person in random.choice(readers.people, readers.each, replace=False):
            answer = f"{monday:%Y%m%d}-{len(recorded)}"
            at = monday + timedelta(days=int(random.integers(5)), minutes=float(random.integers(480)))
            recorded[answer] = [{**row, "position": n, "shown": n, "cited": True} for n, row in enumerate(shown, 1)]
            labels += _votes(readers, one, recorded[answer], f"user:{person}@acme.test", answer, at, random)
    return Week(labels, recorded)


def _shown(one: JudgedCandidates, terms: FusionTerms) -> list[Row]:
    """The best passage of each of the first documents."""
    order = np.argsort(-scores(terms, one), kind="stable")
    first = dict.fromkeys(one.items[n] for n in order)
    best = {one.items[n]: int(n) for n in reversed(order)}
    return [_row(one, best[item]) for item in list(first)[:SHOWN]]


def _row(one: JudgedCandidates, n: int) -> Row:
    features = dict(zip(FEATURE_NAMES, one.matrix[n].tolist(), strict=True))
    return {"chunk_id": str(n), "schema": FEATURE_SCHEMA, "features": features}


def _votes(
    readers: Readers, one: JudgedCandidates, rows: Sequence[Row], person: str, answer: str, at: datetime,
    random: np.random.Generator,
) -> Iterator[Label]:  # fmt: skip
    looks = random.random(len(rows)) < _propensities(readers.steep)[: len(rows)]
    errs = random.random(len(rows)) < readers.wrong
    for row, looked, wrong in zip(rows, looks, errs, strict=True):
        good = (one.relevance.get(one.items[int(row["chunk_id"])], 0) > 0) != wrong
        if looked:
            yield Label(
                one.group, ("public",), row["chunk_id"], None, 1, 2 if good else 0, "vote",
                RULES.up if good else RULES.down["wrong"], at, person, answer, row["position"],
            )


@cache
def _propensities(steep: float) -> np.ndarray:
    return np.arange(1, SHOWN + 1) ** -steep
