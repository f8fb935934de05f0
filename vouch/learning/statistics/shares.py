"""What each candidate counts in a fit: every question the same, half of it for what is relevant, half for the rest."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
HALF = 0.5                              # of a question: for what is relevant, and for the rest


def equal_shares(labels: Floats) -> Floats:
    """Where everything is known of every candidate."""
    positive = labels.sum()
    return np.asarray(np.where(labels > 0.5, 0.5 / max(positive, 1.0), 0.5 / max(len(labels) - positive, 1.0)))


def weighted_shares(targets: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The targets and shares of candidates that are known by labels of these weights.

    What is relevant and the rest still share evenly, each at most a half, and
    at most what the labels of the other weigh: so one that was capped to
    almost nothing cannot make a question count on its own.
    """
    relevant, rest = weights * targets, weights * (1 - targets)
    kind = min(HALF, float(relevant.sum()), float(rest.sum()))
    if kind <= 0:
        return np.zeros(len(weights)), np.zeros(len(weights))
    relevant, rest = relevant * (kind / relevant.sum()), rest * (kind / rest.sum())
    share = relevant + rest
    return np.divide(relevant, share, out=np.zeros(len(share)), where=share > 0), share


def spread(values: Floats, shares: Floats | None) -> tuple[Floats, Floats]:
    """Mean and deviation of each column, of rows that count the same or by their shares."""
    if shares is None:
        return values.mean(axis=0), values.std(axis=0)
    part = (shares / max(float(shares.sum()), 1e-12))[:, None]
    mean = (values * part).sum(axis=0)
    return mean, np.sqrt((((values - mean) ** 2) * part).sum(axis=0))
