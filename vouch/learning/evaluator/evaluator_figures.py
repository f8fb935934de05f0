"""How good an evaluator is: on pairs, and as a judge of whole lists."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.errors import BadInput
from vouch.learning.collections.judged_lists import Scorers
from vouch.learning.evaluator.reliability import reliability, risk_coverage
from vouch.learning.statistics import metrics
from vouch.ports.evaluator import Evaluator

Figures = dict[str, float | int | list[float]]
MOST_GROUPS = 50                        # of which figures are given


def pair_figures(labels: Sequence[float], probabilities: Sequence[float], groups: Sequence[int]) -> Figures:
    """Accuracy at 0.5, majority, AUC with its interval over questions, ECE in ten bins of equal width."""
    y, p = np.array(labels, dtype=float), np.array(probabilities, dtype=float)
    keys: NDArray[np.int64] = np.array(groups, dtype=np.int64)
    figures: Figures = {
        "n": len(y),
        "questions": len(set(groups)),
        "accuracy": round(metrics.accuracy(y, p), 4),
        "majority": round(metrics.majority(y), 4),
        "ece": round(metrics.expected_calibration_error(y, p), 4),
    }
    area = metrics.auc(y, p)
    if np.isfinite(area):               # one label only: an AUC does not exist
        figures["auc"] = round(area, 4)
        figures["auc_interval"] = [round(v, 4) for v in metrics.bootstrap_interval(metrics.auc, y, p, groups=keys)]
    return figures


def verdict_shares(best: Sequence[float], lower: float, upper: float) -> Figures:
    """Shares of lists judged correct, ambiguous and incorrect by their best probability."""
    b = np.array(best, dtype=float)
    correct, incorrect = float((b >= upper).mean()), float((b < lower).mean())
    return {
        "questions": len(b), "correct": round(correct, 4), "ambiguous": round(1 - correct - incorrect, 4),
        "incorrect": round(incorrect, 4),
    }


def evaluate_evaluator(
    pairs: Iterable[tuple[str, str, bool]], evaluator: Evaluator, scorers: Scorers,
    groups: Mapping[tuple[str, str], str] | None = None,
) -> Mapping[str, Any]:  # fmt: skip
    """`figures` over (question, passage, label), `reliability` and `risk_coverage`; pairs of an equal question are
    judged as one list. A pair counts as right if more or less than a half is said of it as its label has it.

    Statistics are those of all the passages given. `groups` name the group of a (question, passage): `figures` are then
    given by group too, the largest first. Raises BadInput without pairs.
    """
    lists: dict[str, dict[str, bool]] = {}
    for question, passage, label in pairs:
        lists.setdefault(question, {})[passage] = label
    if not lists:
        raise BadInput("no pairs to judge", cure='give lines of {"question", "passage", "label"}')
    texts = dict.fromkeys(passage for passages in lists.values() for passage in passages)
    ids = {text: f"{n:08d}" for n, text in enumerate(texts)}
    collection = scorers.collection([("", text) for text in texts])
    labels: list[float] = []
    probabilities: list[float] = []
    asked: list[int] = []
    found = collection.given([(question, [ids[text] for text in passages]) for question, passages in lists.items()])
    for number, ((question, passages), candidates) in enumerate(zip(lists.items(), found, strict=True)):
        labels += map(float, passages.values())
        probabilities += evaluator.probabilities(question, candidates)
        asked += [number] * len(passages)
    agreed = [(given >= 0.5) == (label > 0.5) for given, label in zip(probabilities, labels, strict=True)]
    return {
        "figures": {**pair_figures(labels, probabilities, asked), **_by_group(
            [(groups or {}).get((question, text), "") for question, passages in lists.items() for text in passages],
            labels, probabilities, asked,
        )},
        "reliability": reliability([label > 0.5 for label in labels], probabilities),
        "risk_coverage": risk_coverage(agreed, [abs(given - 0.5) for given in probabilities]),
    }


def _by_group(
    names: Sequence[str], labels: Sequence[float], probabilities: Sequence[float], asked: Sequence[int]
) -> dict[str, Any]:
    """Nothing where no pair has a group."""
    mine: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if name:
            mine.setdefault(name, []).append(place)
    largest = sorted(mine.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_GROUPS]
    return {"groups": {
        name: pair_figures([labels[n] for n in places], [probabilities[n] for n in places], [asked[n] for n in places])
        for name, places in largest
    }} if largest else {}
