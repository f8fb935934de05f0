"""Whether probabilities mean what they say, and what one gains by answering only what one is sure of.

A reliability diagram compares the probabilities of a bin with the share of
those in it that were right (DeGroot and Fienberg 1983). A risk–coverage curve
tells, for each share of all questions that are answered, the most certain
first, how many of those are wrong (El-Yaniv and Wiener 2010).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.learning.collections.golden import Graded
from vouch.learning.drift.stability import wilson

BINS, POINTS = 10, 100


def reliability(right: Sequence[bool], probabilities: Sequence[float], bins: int = BINS) -> list[dict[str, Any]]:
    """By bin of equal width that anything is in: how many, their mean probability, the share that was right, and the
    95 % interval of that share."""
    labels, given = np.asarray(right, dtype=float), np.asarray(probabilities, dtype=float)
    place = np.clip((given * bins).astype(int), 0, bins - 1)
    rows = []
    for number in sorted(set(place.tolist())):
        mine = place == number
        share = wilson(int(labels[mine].sum()), int(mine.sum()))
        rows.append({
            "from": round(number / bins, 4), "to": round((number + 1) / bins, 4), "count": share.of,
            "probability": round(float(given[mine].mean()), 4), "right": round(share.count / share.of, 4),
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
