"""Groups of questions of like meaning."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vouch.ports.models import Vector

Cluster = Callable[[Vector, int], Sequence[int]]
"""Vectors and the smallest size of a cluster → per vector the number of its cluster, negative for none."""

_GRID = 4096                            # steps to 1: sums of products of whole numbers are exact in any order
_BLOCK = 512


@dataclass(frozen=True)
class Point:
    """Some words, whoever asked with them."""

    text: str
    vector: Vector
    askers: frozenset[str]


def linked_enough(points: Sequence[Point], alike: float, askers: int) -> list[Point]:
    """Those that have so many askers among all points they are linked to, directly or by others, in order."""
    kept = [group for group in linked([point.vector for point in points], alike)
            if _askers([points[n] for n in group]) >= askers]
    return [points[n] for n in sorted(n for group in kept for n in group)]


def grouped(
    points: Sequence[Point], cluster: Cluster, alike: float, askers: int, questions: int
) -> list[list[Point]]:
    """Groups of at least so many askers; a point is in one at most.

    `cluster` decides first. What it leaves over goes to the cluster that has
    the likest point, if that is alike enough; and what is left then, as a
    topic that stands alone or all in the same words, is grouped by its links.
    """
    if not points:
        return []
    vectors = np.array([point.vector for point in points])
    numbers = np.array(cluster(vectors, max(2, questions)), dtype=np.int64)
    numbers = _joined(vectors, numbers, alike)
    groups = [np.flatnonzero(numbers == number).tolist() for number in sorted(set(numbers[numbers >= 0].tolist()))]
    over = np.flatnonzero(numbers < 0)
    groups += [[int(over[n]) for n in group] for group in linked([vectors[n] for n in over], alike)]
    point_groups = [[points[n] for n in group] for group in groups]
    return [group for group in point_groups if _askers(group) >= askers]


def linked(vectors: Sequence[Vector], alike: float) -> list[list[int]]:
    """The connected components of the graph whose edges are cosines of at least `alike`, in order of their least.

    Whether two are linked depends on nothing but the two: not even on how the others make sums round.
    """
    if not len(vectors):
        return []
    label = _labels(_on_grid(np.array(vectors)), alike * _GRID * _GRID)
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order])) + 1
    return [group.tolist() for group in np.split(order, starts)]


def _labels(grid: NDArray[np.float64], least: float) -> NDArray[np.int64]:
    """Per row the least row of its component. No link is kept: a block of rows is united with what it is linked to."""
    label = np.arange(len(grid))
    left = np.arange(len(grid))         # rows whose links have not been looked at
    while True:
        rows, columns = _next_block(label, left)
        if not len(columns):
            return label
        near = _near(grid[rows], grid[columns], least)
        for number, row in enumerate(rows):
            _unite(label, row, columns[near[number]])
        left = np.setdiff1d(left, rows, assume_unique=True)


def _next_block(label: NDArray[np.int64], left: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows, and those that they may be linked to: a block that is one component asks nothing of its own rows."""
    if not len(left):
        return left, left
    sizes = np.bincount(label[left])
    own = label[left] == sizes.argmax()
    if sizes.max() < _BLOCK:
        return left[:_BLOCK], left
    return left[own][:_BLOCK], left[~own]


def _near(rows: NDArray[np.float64], columns: NDArray[np.float64], least: float) -> NDArray[np.bool_]:
    return np.asarray(rows @ columns.T >= least)


def _unite(label: NDArray[np.int64], row: np.int64, others: NDArray[np.int64]) -> None:
    """Changes `label`: all that is tied to any of them gets the least label of these."""
    touched = np.zeros(len(label), dtype=bool)
    touched[label[others]] = True
    touched[label[row]] = True
    found = np.flatnonzero(touched)
    if len(found) > 1:
        label[touched[label]] = found[0]


def _joined(vectors: Vector, numbers: NDArray[np.int64], alike: float) -> NDArray[np.int64]:
    """What is in no cluster gets the number of the likest point that is in one."""
    inside, outside = np.flatnonzero(numbers >= 0), np.flatnonzero(numbers < 0)
    if not len(inside) or not len(outside):
        return numbers
    grid, joined = _on_grid(vectors), numbers.copy()
    for start in range(0, len(outside), _BLOCK):
        rows = outside[start : start + _BLOCK]
        products = grid[rows] @ grid[inside].T
        near = products.max(axis=1) >= alike * _GRID * _GRID
        joined[rows[near]] = numbers[inside[products.argmax(axis=1)[near]]]
    return joined


def _on_grid(vectors: Vector) -> NDArray[np.float64]:
    return np.rint(vectors.astype(np.float64) * _GRID)


def _askers(points: Sequence[Point]) -> int:
    return len(frozenset[str]().union(*(point.askers for point in points)))
