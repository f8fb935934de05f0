"""Figures against brute force."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.learning.statistics.metrics import accuracy, auc, bootstrap_interval, expected_calibration_error, majority

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda n: n / 20)), min_size=1, max_size=60)


def split(drawn: list[tuple[bool, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([float(y) for y, _ in drawn]), np.array([p for _, p in drawn])


@given(rows)
def test_auc_is_the_share_of_pairs_in_order(drawn: list[tuple[bool, float]]) -> None:
    labels, scores = split(drawn)
    pairs = [(p > n) + 0.5 * (p == n) for p in scores[labels > 0] for n in scores[labels == 0]]
    expected = sum(pairs) / len(pairs) if pairs else math.nan
    assert np.isclose(auc(labels, scores), expected, equal_nan=True)


@given(rows)
def test_calibration_error_is_the_weighted_gap_of_ten_bins(drawn: list[tuple[bool, float]]) -> None:
    labels, scores = split(drawn)
    expected = 0.0
    for b in range(10):
        inside = [(y, p) for y, p in drawn if int(p * 10) == b or (b == 9 and p == 1.0)]
        if inside:
            gap = abs(sum(p for _, p in inside) / len(inside) - sum(y for y, _ in inside) / len(inside))
            expected += gap * len(inside) / len(drawn)
    assert np.isclose(expected_calibration_error(labels, scores), expected)


@given(rows)
def test_accuracy_and_majority_count(drawn: list[tuple[bool, float]]) -> None:
    labels, scores = split(drawn)
    assert np.isclose(accuracy(labels, scores), sum((p >= 0.5) == y for y, p in drawn) / len(drawn))
    positive = sum(y for y, _ in drawn)
    assert np.isclose(majority(labels), max(positive, len(drawn) - positive) / len(drawn))


@pytest.mark.slow
def test_the_interval_holds_the_truth_and_repeats() -> None:
    random = np.random.default_rng(3)
    inside = 0
    for seed in range(40):
        labels = (random.random(150) < 0.4).astype(float)
        low, high = bootstrap_interval(lambda y, _: float(y.mean()), labels, labels, seed=seed, draws=200)
        inside += low <= 0.4 <= high
    assert inside >= 34
    assert bootstrap_interval(auc, labels, labels, seed=1) == bootstrap_interval(auc, labels, labels, seed=1)


def test_groups_are_drawn_whole() -> None:
    labels = np.repeat([0.0, 1.0], 50)
    groups = np.repeat(np.arange(2), 50)
    low, high = bootstrap_interval(lambda y, _: float(y.mean()), labels, labels, groups=groups, draws=100)
    assert (low, high) == (0.0, 1.0)        # two questions: all of one, or all of the other
