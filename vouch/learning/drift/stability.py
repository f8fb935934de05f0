"""How far numbers of now are from those of a reference: the population stability index, and shares with intervals.

PSI = Σ (a − e) · ln(a / e) over bins, where e and a are the shares of the
reference and of now: the divergence of Jeffreys (Kullback and Leibler 1951),
in credit scoring by this name (Siddiqi 2006, Credit Risk Scorecards). Under
0.1 is called stable, from 0.25 on a shift; with few numbers chance alone gives
more, so each index comes with what chance gives.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BINS = 10
SHIFTED = 0.25
_ATOM = 0.05                            # a value that so large a share of the reference has, gets a bin of its own
_EMPTY = 0.5                            # added to the count of each bin (Krichevsky and Trofimov 1981): none is empty
_Z = 1.959963984540054                  # 95 % of a normal distribution lie within


@dataclass(frozen=True, slots=True)
class Stability:
    """`noise`: what chance alone exceeds about once in twenty-five times, if nothing has shifted."""

    psi: float
    noise: float

    @property
    def shifted(self) -> bool:
        return self.psi >= max(SHIFTED, self.noise)


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`, with the ends of its 95 % interval; without any it may be everything from 0 to 1."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        return self.count / self.of if self.of else None


def stability(reference: Floats, recent: Floats, *, independent: tuple[int, int] | None = None) -> Stability | None:
    """The index of `recent` against `reference`; None if either has no number.

    Bins are the deciles of the reference alone. What is NaN counts as absent,
    which is a bin of its own; infinite numbers are beyond all others.
    `independent`: how many independent draws either is made of, for the noise:
    the passages of one answer are no independent ones. By default all are.
    """
    if not len(reference) or not len(recent) or not np.any(~np.isnan(reference)):
        return None
    edges = _edges(reference[~np.isnan(reference)])
    expected, actual = _shares(reference, edges), _shares(recent, edges)
    psi = float(((actual - expected) * np.log(actual / expected)).sum())
    used = int((_counts(reference, edges) > 0).sum())
    return Stability(psi, _noise(used, *(independent or (len(reference), len(recent)))))


def wilson(count: int, of: int) -> Share:
    """The interval of Wilson (1927) at 95 %."""
    if not of:
        return Share(count, of, 0.0, 1.0)
    share, z2 = count / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return Share(count, of, max(0.0, middle - half), min(1.0, middle + half))


def _edges(reference: Floats) -> Floats:
    """Upper ends of the bins but the last. A frequent value has a bin to itself: only what is just below is below."""
    cuts = np.quantile(reference, np.arange(1, BINS) / BINS, method="inverted_cdf")
    values, counts = np.unique(reference, return_counts=True)
    atoms = values[counts >= _ATOM * len(reference)]
    return np.unique(np.concatenate([cuts, atoms, np.nextafter(atoms, -np.inf)]))


def _counts(values: Floats, edges: Floats) -> Floats:
    """How many are in each bin; the last is of those that are absent."""
    absent = np.isnan(values)
    places = np.searchsorted(edges, values[~absent], side="left")
    return np.append(np.bincount(places, minlength=len(edges) + 1), absent.sum()).astype(np.float64)


def _shares(values: Floats, edges: Floats) -> Floats:
    counts = _counts(values, edges) + _EMPTY
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def _noise(bins: int, reference: int, recent: int) -> float:
    """n·m / (n + m) · PSI has about a chi-square distribution: its mean and two deviations."""
    freedom = max(bins - 1, 1)
    return (freedom + 2 * math.sqrt(2 * freedom)) * (1 / max(reference, 1) + 1 / max(recent, 1))
