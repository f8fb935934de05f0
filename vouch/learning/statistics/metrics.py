"""Figures of a classifier that gives probabilities, and shares and means as reports tell them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

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
    differences: Floats, *, seed: int = 0, draws: int = 2000, level: float = 0.95, weights: Floats | None = None,
    groups: Sequence[str] | None = None,
) -> tuple[float, float]:
    """Percentile interval of the mean of what one method has over the other, question by question.

    With `weights`, all above 0, of the weighted mean. Rows of one of the `groups` are drawn together: they are not
    independent.
    """
    shares: Floats = np.ones(len(differences)) if weights is None else weights
    sums: Floats = differences * shares
    if groups is not None:
        number = {group: place for place, group in enumerate(dict.fromkeys(groups))}
        of = [number[group] for group in groups]
        sums, shares = (np.bincount(of, values).astype(np.float64) for values in (sums, shares))
    drawn = np.random.default_rng(seed).integers(0, len(sums), (draws, len(sums)))
    means = sums[drawn].sum(axis=1) / shares[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def told(name: str, values: Iterable[float]) -> dict[str, Any]:
    """The mean of one value a question, and the percentile interval of it over questions that are drawn again; nothing
    where there is no question."""
    held = np.array([float(value) for value in values])
    if not len(held):
        return {}
    low, high = paired_interval(held)
    return {name: round(float(held.mean()), 4), f"{name}_interval": [round(low, 4), round(high, 4)]}


def told_all(columns: Mapping[str, Iterable[float]]) -> dict[str, Any]:
    """Of each column, in their order."""
    found: dict[str, Any] = {}
    for name, values in columns.items():
        found |= told(name, values)
    return found


def told_auc(labels: Sequence[bool], scores: Sequence[float]) -> dict[str, Any]:
    """How well scores tell one from the other, with its interval over questions; nothing where there is one kind."""
    y, given = np.array(labels, dtype=float), np.array(scores, dtype=float)
    if not len(y) or y.min() == y.max():
        return {}
    low, high = bootstrap_interval(auc, y, given)
    return {"auc": round(auc(y, given), 4), "auc_interval": [round(low, 4), round(high, 4)]}


def told_recall(places: Sequence[int | None], depths: Sequence[int]) -> dict[str, Any]:
    """`R@k`: the share of questions with what was looked for among the first k; `places` count from 1."""
    return told_all({f"R@{k}": [place is not None and place <= k for place in places] for k in depths})


def first_place(right: Iterable[bool]) -> int | None:
    """Where the first that is right stands, from 1."""
    return next((place for place, one in enumerate(right, 1) if one), None)
