"""How good an evaluator is: on pairs, on whole lists, whether its probabilities hold, risk and coverage.

A reliability diagram compares the probabilities of a bin with the share of
those in it that were right (DeGroot and Fienberg 1983). A risk–coverage curve
tells, for each share of all questions that are answered, the most certain
first, how many of those are wrong (El-Yaniv and Wiener 2010).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.errors import BadInput
from vouch.learning.collections.golden import Graded
from vouch.learning.collections.judged_lists import Scorers
from vouch.learning.drift.stability import wilson
from vouch.learning.statistics import metrics
from vouch.ports.models import Evaluator

BINS, POINTS = 10, 100


def reliability(right: Sequence[bool], probabilities: Sequence[float], bins: int = BINS) -> list[dict[str, Any]]:
    """By bin of equal width that anything is in: how many, their mean probability, the share that was right, and the
    95 % interval of that share."""
    labels, predictions = np.asarray(right, dtype=float), np.asarray(probabilities, dtype=float)
    bin_numbers = np.clip((predictions * bins).astype(int), 0, bins - 1)
    rows = []
    for number in sorted(set(bin_numbers.tolist())):
        mine = bin_numbers == number
        share = wilson(int(labels[mine].sum()), int(mine.sum()))
        rows.append({
            "from": round(number / bins, 4), "to": round((number + 1) / bins, 4), "count": share.of,
            "probability": round(float(predictions[mine].mean()), 4), "right": round(share.count / share.of, 4),
            "interval": [round(share.low, 4), round(share.high, 4)],
        })  # fmt: skip
    return rows


def risk_coverage(right: Sequence[bool], sureness: Sequence[float], of: int | None = None) -> list[list[float]]:
    """Pairs of coverage and risk, at most a hundred: of `of` questions, as many as are given by default.

    Those that are equally sure come together: no order among them would be more than chance.
    """
    if not len(right):
        return []
    sure = np.asarray(sureness, dtype=float)
    order = np.argsort(-sure, kind="stable")
    wrong = np.cumsum(1.0 - np.asarray(right, dtype=float)[order])
    ends = np.flatnonzero(np.append(np.diff(sure[order]) != 0, True))
    return [[round((int(end) + 1) / (of or len(right)), 4), round(float(wrong[end]) / (int(end) + 1), 4)]
            for end in _some(ends)]


def sureness(graded: Sequence[Graded]) -> dict[str, Any]:
    """`reliability` and `risk_coverage` of answers to questions with known answers, by the evaluator's best
    probability. Right is what quotes rightly in whatever was shown; of what was declined nobody knows."""
    shown = [one for one in graded if one.action != "declined"]
    right, best = [one.quoted for one in shown], [one.best for one in shown]
    return {"reliability": reliability(right, best), "risk_coverage": risk_coverage(right, best, len(graded))}


def _some(ends: "NDArray[np.intp]") -> "NDArray[np.intp]":
    """Some of them, evenly, with the last."""
    if len(ends) <= POINTS:
        return ends
    return np.asarray(ends[np.unique(np.linspace(0, len(ends) - 1, POINTS).astype(int))], dtype=np.intp)


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
    pools = collection.given([(question, [ids[text] for text in passages]) for question, passages in lists.items()])
    for number, ((question, passages), candidates) in enumerate(zip(lists.items(), pools, strict=True)):
        labels += map(float, passages.values())
        probabilities += evaluator.probabilities(question, candidates)
        asked += [number] * len(passages)
    agreed = [(probability >= 0.5) == (label > 0.5) for probability, label in zip(probabilities, labels, strict=True)]
    return {
        "figures": {**pair_figures(labels, probabilities, asked), **_by_group(
            [(groups or {}).get((question, text), "") for question, passages in lists.items() for text in passages],
            labels, probabilities, asked,
        )},
        "reliability": reliability([label > 0.5 for label in labels], probabilities),
        "risk_coverage": risk_coverage(agreed, [abs(probability - 0.5) for probability in probabilities]),
    }


def _by_group(
    names: Sequence[str], labels: Sequence[float], probabilities: Sequence[float], asked: Sequence[int]
) -> dict[str, Any]:
    """Nothing where no pair has a group."""
    mine: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        if name:
            mine.setdefault(name, []).append(index)
    largest = sorted(mine.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_GROUPS]
    return {"groups": {
        name: pair_figures([labels[n] for n in places], [probabilities[n] for n in places], [asked[n] for n in places])
        for name, places in largest
    }} if largest else {}
