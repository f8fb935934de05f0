"""What candidates count in a fit when labels have weights."""

import numpy as np
import pytest
from learning_scene.labeled_scene import scene

from vouch.learning.labels.weights import equal_shares, weighted_shares
from vouch.learning.statistics.metrics import paired_interval
from vouch.learning.training.fusion_training import TERMS, JudgedCandidates, fit_terms
from vouch.learning.training.weighing import weighed_lists


@pytest.mark.parametrize("seed", range(20))
def test_no_kind_of_label_counts_more_than_its_weight_or_the_other(seed: int) -> None:
    print(f"seed {seed}")
    draw = np.random.default_rng(seed)
    weights, targets = draw.exponential(0.3, 9), draw.choice([0.0, 0.3, 1.0], 9)
    found, share = weighted_shares(targets, weights)
    relevant, rest = (share * found).sum(), (share * (1 - found)).sum()
    least = min(0.5, (weights * targets).sum(), (weights * (1 - targets)).sum())
    assert relevant == pytest.approx(least) and rest == pytest.approx(least)
    assert (share >= 0).all() and ((found >= 0) & (found <= 1)).all()


def test_full_weights_are_the_shares_of_a_question_that_is_known_whole() -> None:
    labels = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    found, share = weighted_shares(labels, np.ones(5))
    assert found == pytest.approx(labels) and share == pytest.approx(equal_shares(labels))


def lists(weight: float) -> list[JudgedCandidates]:
    """Honest questions, and as many whose labels say the opposite, of this weight."""
    honest, liars = scene(40, 1), scene(40, 2, name="l")
    first = [one.known("q") for one in weighed_lists(honest.labels, honest, list)[0]]
    second = [one.known("q") for one in weighed_lists(liars.labels, liars, list)[0]]
    assert all(one.weights is not None and one.targets is not None for one in second)
    return first + [
        JudgedCandidates(one.group, one.matrix, one.reciprocal, one.items, one.relevance,
                         one.weights * weight, 1 - one.targets) for one in second     # type: ignore[operator]
    ]


def test_what_was_capped_to_almost_nothing_moves_almost_nothing() -> None:
    names = TERMS["engines"]
    honest, capped, loud = (fit_terms(some, names) for some in (lists(1.0)[:40], lists(1e-6), lists(1.0)))
    assert honest.keys() == capped.keys()
    assert all(abs(honest[name].weight - capped[name].weight) <= 1e-3 for name in honest)
    assert max(abs(honest[name].weight - loud[name].weight) for name in honest.keys() & loud.keys()) > 0.1


def test_an_interval_of_equal_weights_is_that_without_any() -> None:
    gains = np.random.default_rng(1).normal(0.02, 0.1, 50)
    assert paired_interval(gains, weights=np.full(50, 0.3)) == pytest.approx(paired_interval(gains))
    assert paired_interval(np.array([1.0, 0.0]), weights=np.array([1.0, 1e-9]))[0] < 0.5


def test_what_is_drawn_together_makes_an_interval_no_narrower() -> None:
    gains = np.random.default_rng(1).normal(0.02, 0.1, 20)
    apart = paired_interval(gains)
    assert paired_interval(gains, groups=[str(n) for n in range(20)]) == apart
    assert paired_interval(np.tile(gains, 10), groups=[str(n) for n in range(20)] * 10) == pytest.approx(apart)
