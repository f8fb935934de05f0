"""The fit is a maximum, by its own gradient and against search."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.learning.statistics.logistic import fit, platt, sigmoid


def penalised(rows: np.ndarray, targets: np.ndarray, found: np.ndarray, l2: float) -> float:
    z = rows @ found[:-1] + found[-1]
    return float((targets * z - np.logaddexp(0, z)).sum() - l2 / 2 * (found[:-1] ** 2).sum())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 10))
def test_no_nearby_coefficients_are_better(seed: int, l2: float) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(60, 3))
    targets = (random.random(60) < sigmoid(rows @ np.array([1.0, -2.0, 0.0]))).astype(float)
    found = fit(rows, targets, l2=l2)
    best = penalised(rows, targets, found, l2)
    assert all(penalised(rows, targets, found + random.normal(size=4) * s, l2) < best for s in (1e-2, 1e-1, 1.0))


def test_separable_data_stays_finite() -> None:
    rows = np.array([[-1.0], [1.0]])
    found = fit(rows, np.array([0.0, 1.0]), l2=0.1)
    assert np.isfinite(found).all() and found[0] > 0


def test_platt_scaling_recovers_the_scale() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=20_000) * 2
    labels = (random.random(20_000) < sigmoid(0.5 * scores + 1)).astype(float)
    slope, offset = platt(scores, labels)
    assert abs(slope - 0.5) < 0.03 and abs(offset - 1) < 0.05


def test_sigmoid_never_overflows() -> None:
    assert sigmoid(np.array([-1e6, 0.0, 1e6])).tolist() == [0.0, 0.5, 1.0]
