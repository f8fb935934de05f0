"""Logistic regression as scikit-learn fits it, and Platt scaling with it. What serves needs `sigmoid` alone."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CERTAIN = 30.0                          # log-odds of what is all of one kind
_TOLERANCE, _ROUNDS = 1e-10, 200


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + e^-x), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * values)), dtype=np.float64)


def fit(rows: Floats, targets: Floats, *, l2: float, weights: Floats | None = None) -> Floats:
    """Coefficients (bias last) that maximise Σ weight·log-likelihood − l2/2·‖w‖², the bias free.

    `targets` may lie between 0 and 1: such a row speaks for both sides. What is all of one kind tells no row from
    another: then only the bias is not 0.
    """
    share = np.ones(len(rows)) if weights is None else weights
    speaks_for, speaks_against = share * targets > 0, share * (1 - targets) > 0
    if not (speaks_for.any() and speaks_against.any()):
        return np.append(np.zeros(rows.shape[1]), CERTAIN if speaks_for.any() else -CERTAIN)
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / l2, solver="newton-cholesky", tol=_TOLERANCE, max_iter=_ROUNDS)
    model.fit(
        np.vstack([rows[speaks_for], rows[speaks_against]]),
        np.repeat([1, 0], [speaks_for.sum(), speaks_against.sum()]),
        np.concatenate([(share * targets)[speaks_for], (share * (1 - targets))[speaks_against]]),
    )
    return np.append(model.coef_[0], model.intercept_)


def newton_step(rows: Floats, targets: Floats, start: Floats, *, l2: float) -> Floats:
    """Coefficients nearer to what `fit` finds, from some that are near: the error is squared.

    What tells nothing, as where all is of one kind, keeps its coefficients.
    """
    with_bias = np.column_stack([rows, np.ones(len(rows))])
    likely = sigmoid(with_bias @ start)
    penalty = np.append(np.full(rows.shape[1], l2), 0.0)
    gradient = with_bias.T @ (targets - likely) - penalty * start
    curvature = (with_bias * (likely * (1 - likely))[:, None]).T @ with_bias + np.diag(penalty)
    return np.asarray(start + np.linalg.lstsq(curvature, gradient)[0])


def platt(scores: Floats, labels: Floats) -> tuple[float, float]:
    """(slope, offset): P = sigmoid(slope·score + offset), with Platt's smoothed targets (Platt 1999)."""
    positive = float((labels > 0.5).sum())
    negative = len(labels) - positive
    targets = np.where(labels > 0.5, (positive + 1) / (positive + 2), 1 / (negative + 2))
    slope, offset = fit(scores[:, None], targets, l2=1e-6)
    return float(slope), float(offset)
