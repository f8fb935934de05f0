"""Logistic regression by Newton's method, and Platt scaling with it. A few coefficients, no library."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + e^-x), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * values)), dtype=np.float64)


def fit(rows: Floats, targets: Floats, *, l2: float, weights: Floats | None = None) -> Floats:
    """Coefficients (bias last) that maximise Σ weight·log-likelihood − l2/2·‖w‖², the bias free.

    Iteratively reweighted least squares; `targets` may lie between 0 and 1.
    """
    design = np.hstack([rows, np.ones((len(rows), 1))])
    share = np.ones(len(rows)) if weights is None else weights
    penalty = np.full(design.shape[1], l2)
    penalty[-1] = 1e-9
    found = np.zeros(design.shape[1])
    for _ in range(100):
        p = sigmoid(design @ found)
        gradient = design.T @ (share * (targets - p)) - penalty * found
        curve = (design * (share * p * (1 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curve, gradient)
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))   # separable data would run away
        found += step
        if float(np.abs(step).max()) < 1e-9:
            break
    return found


def platt(scores: Floats, labels: Floats) -> tuple[float, float]:
    """(slope, offset): P = sigmoid(slope·score + offset), with Platt's smoothed targets (Platt 1999)."""
    positive = float((labels > 0.5).sum())
    negative = len(labels) - positive
    targets = np.where(labels > 0.5, (positive + 1) / (positive + 2), 1 / (negative + 2))
    slope, offset = fit(scores[:, None], targets, l2=1e-6)
    return float(slope), float(offset)
