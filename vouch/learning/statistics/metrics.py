"""Figures of a classifier that gives probabilities."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def auc(labels: Floats, scores: Floats) -> float:
    """P(a positive scores above a negative), ties counted half (Mann and Whitney). NaN without both kinds."""
    positive = int((labels > 0.5).sum())
    negative = len(labels) - positive
    if not positive or not negative:
        return float("nan")
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    return float((rank[labels > 0.5].sum() - positive * (positive + 1) / 2) / (positive * negative))


def expected_calibration_error(labels: Floats, probabilities: Floats, bins: int = 10) -> float:
    """Mean gap between probability and share of positives over `bins` of equal width, weighted by their size.

    Naeini et al. 2015. NaN without data.
    """
    if not len(labels):
        return float("nan")
    place = np.minimum((probabilities * bins).astype(int), bins - 1)
    gaps = [abs(float((labels[place == b] - probabilities[place == b]).sum())) for b in range(bins)]
    return sum(gaps) / len(labels)


def accuracy(labels: Floats, probabilities: Floats) -> float:
    """Share judged right when 0.5 decides."""
    return float(((probabilities >= 0.5) == (labels > 0.5)).mean())


def majority(labels: Floats) -> float:
    """Accuracy of always saying the more frequent label."""
    share = float((labels > 0.5).mean())
    return max(share, 1 - share)


def bootstrap_interval(
    figure: Callable[[Floats, Floats], float], labels: Floats, scores: Floats,
    *, groups: NDArray[np.int64] | None = None, seed: int = 0, draws: int = 500, level: float = 0.95,
) -> tuple[float, float]:
    """Percentile interval of `figure` over resampled rows, or over whole `groups` of rows (questions)."""
    random = np.random.default_rng(seed)
    keys = np.arange(len(labels)) if groups is None else groups
    order = np.argsort(keys, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)
    values = []
    for _ in range(draws):
        rows = np.concatenate([members[i] for i in random.integers(0, len(members), len(members))])
        values.append(figure(labels[rows], scores[rows]))
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def paired_interval(
    differences: Floats, *, seed: int = 0, draws: int = 2000, level: float = 0.95, weights: Floats | None = None
) -> tuple[float, float]:
    """Percentile interval of the mean of what one method has over the other, question by question.

    With `weights`, all above 0, of the weighted mean.
    """
    random = np.random.default_rng(seed)
    drawn = random.integers(0, len(differences), (draws, len(differences)))
    if weights is None:
        means = differences[drawn].mean(axis=1)
    else:
        means = (differences * weights)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
