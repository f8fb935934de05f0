"""The index is its formula, near 0 where nothing shifted, and grows with the shift."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.learning.drift import stability as drift
from vouch.learning.drift.stability import BINS, SHIFTED, stability, wilson

SEEDS = range(40)


def by_hand(reference: list[float], recent: list[float]) -> float:
    """For numbers without ties: the n-th decile is the least number that n tenths do not exceed."""
    ordered = sorted(reference)
    edges = [ordered[math.ceil(len(ordered) * n / BINS) - 1] for n in range(1, BINS)]

    def share(values: list[float], n: int) -> float:
        low, high = edges[n - 1] if n else -math.inf, edges[n] if n < BINS - 1 else math.inf
        inside = sum(low < value <= high or (n == 0 and value <= high) for value in values)
        return (inside + 0.5) / (len(values) + 0.5 * (BINS + 1))       # and a bin for what is absent

    pairs = [(share(reference, n), share(recent, n)) for n in range(BINS)]
    pairs.append((0.5 / (len(reference) + 5.5), 0.5 / (len(recent) + 5.5)))
    return sum((a - e) * math.log(a / e) for e, a in pairs)


@given(st.integers(0, 2**32), st.integers(30, 300), st.integers(5, 300), st.floats(-2, 2))
def test_it_is_the_formula(seed: int, size: int, other: int, shift: float) -> None:
    draw = np.random.default_rng(seed)
    reference, recent = draw.normal(size=size), draw.normal(shift, 1, size=other)
    found = stability(reference, recent)
    assert found is not None and found.psi == pytest.approx(by_hand(list(reference), list(recent)), abs=1e-9)


def test_bins_of_both_times_together_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plant: edges from the pooled numbers hide a part of the shift."""
    draw = np.random.default_rng(5)
    reference, recent = draw.normal(size=2000), draw.normal(1, 1, size=8000)
    right = by_hand(list(reference), list(recent))
    assert stability(reference, recent).psi == pytest.approx(right)
    edges = drift._edges
    monkeypatch.setattr(drift, "_edges", lambda _: edges(np.concatenate([reference, recent])))
    assert abs(stability(reference, recent).psi - right) > 0.02


@pytest.mark.parametrize("size", [100, 1000, 5000])
def test_of_equal_samples_it_is_chance_alone(size: int) -> None:
    found = []
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        found.append(stability(draw.normal(size=size), draw.normal(size=size)))
    mean = (BINS - 1) * 2 / size                            # of the chi-square distribution
    assert np.mean([one.psi for one in found]) == pytest.approx(mean, rel=0.35)
    assert sum(one.psi > one.noise for one in found) <= 4 and not any(one.shifted for one in found)
    same = draw.normal(size=size)
    assert stability(same, same).psi == 0


def test_a_shift_is_told_and_grows() -> None:
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        reference, noise = draw.normal(size=2000), draw.normal(size=2000)
        values = [stability(reference, noise + shift).psi for shift in np.arange(0, 3.1, 0.3)]
        assert values == sorted(values), seed
        assert values[0] < 0.05 and values[3] > SHIFTED, seed       # .9 of a deviation
        assert stability(reference, noise + 0.9).shifted


def test_numbers_that_are_none_are_safe() -> None:
    usual = np.random.default_rng(1).normal(size=500)
    odd = usual.copy()
    odd[:200], odd[200:220], odd[220:240] = np.nan, np.inf, -np.inf
    for reference, recent in ((usual, odd), (odd, usual), (odd, odd)):
        assert math.isfinite(stability(reference, recent).psi)
    assert stability(usual, odd).psi > SHIFTED and stability(odd, odd).psi == 0
    nothing = np.full(10, np.nan)
    assert stability(nothing, usual) is None and stability(usual, np.array([])) is None
    assert stability(usual, nothing).psi > SHIFTED


@pytest.mark.parametrize("other", [0.0, 6.9, 7.1, 1e300, math.inf])
def test_a_constant_is_stable_until_it_is_another(other: float) -> None:
    constant = np.full(400, 7.0)
    assert stability(constant, np.full(300, 7.0)).psi < 0.01
    assert stability(constant, np.full(300, other)).psi > SHIFTED
    half = np.concatenate([constant, np.full(400, other)])
    assert stability(half, half[::2]).psi < 0.01 < SHIFTED < stability(half, constant).psi


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_interval_holds_the_share_and_is_that_of_wilson(some: int, more: int) -> None:
    share = wilson(some, some + more)
    if not some + more:
        assert (share.low, share.high, share.value) == (0, 1, None)
        return
    value, n = share.value, some + more
    assert 0 <= share.low <= value + 1e-12 and value - 1e-12 <= share.high <= 1
    for end in (share.low, share.high):                     # the ends solve |p - end| = z √(end (1 - end) / n)
        assert abs(value - end) == pytest.approx(1.959964 * math.sqrt(max(end * (1 - end), 0) / n), abs=1e-6)
