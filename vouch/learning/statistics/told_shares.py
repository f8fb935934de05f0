"""Shares and means as reports tell them, each with its 95 % interval."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vouch.learning.statistics.metrics import auc, bootstrap_interval, paired_interval


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
