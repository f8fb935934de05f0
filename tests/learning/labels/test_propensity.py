"""Position: propensities of readers whose bias is known, and fits that rank as if nobody had it."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from learning_scene.simulated_readers import Readers, ndcgs

from vouch.learning.labels.label import Label
from vouch.learning.labels.propensity import Looks, Propensities, by_regression, correct, estimate, from_swaps
from vouch.learning.statistics.logistic import fit
from vouch.learning.statistics.metrics import paired_interval

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
CLIP = 10.0
SHOWN = Label("How?", ("public",), "c", None, 1, 0, "behaviour", 1.0, NOON)
SEEDS = range(5)


def farthest(found: Propensities, readers: Readers) -> float:
    return max(abs(found[place] - true) for place, true in readers.truth.items())


def looks(rows: list[tuple[int, int, float]]) -> Looks:
    places, ranked, helpful = (np.array(column) for column in zip(*rows, strict=True)) if rows else [np.zeros(0)] * 3
    return Looks(places.astype(int), ranked.astype(int), helpful.astype(float), np.zeros((len(rows), 2)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_swaps_find_the_propensities_within_a_twentieth(seed: int) -> None:
    """Of 40,000 answers that somebody reacted to, a half with a swap."""
    readers = Readers(seed, questions=40_000, passages=12, swaps=0.5)
    error = farthest(from_swaps(readers.looks), readers)
    print(f"seed {seed}: error {error:.3f} of {len(readers.looks.place):,} places shown")
    assert error < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[:3])
@pytest.mark.parametrize("steep", [0.5, 1.0, 1.5])
def test_regression_finds_them_without_swaps(seed: int, steep: float) -> None:
    """Of 10,000 answers."""
    readers = Readers(seed, questions=10_000, passages=12, steep=steep)
    error = farthest(by_regression(readers.looks), readers)
    print(f"seed {seed}, steep {steep}: error {error:.3f} of {len(readers.looks.place):,} places shown")
    assert error < 0.05


def test_quick_regression() -> None:
    readers = Readers(3, questions=1500)
    assert farthest(estimate(readers.looks), readers) < 0.1


def fitted(readers: Readers, propensities: Propensities) -> np.ndarray:
    """Coefficients from one doubt of each passage that was shown, and one vote for each that was marked."""
    seen = readers.looks
    marked = np.flatnonzero(seen.helpful)
    labels = [replace(SHOWN, position=int(place)) for place in seen.place]
    labels += [replace(SHOWN, source="vote", relevance=2, position=int(seen.place[n])) for n in marked]
    corrected = correct(labels, propensities, CLIP)
    rows = np.vstack([seen.features, seen.features[marked]])
    targets = np.array([float(one.relevance > 0) for one in corrected])
    return fit(rows, targets, l2=1.0, weights=np.array([one.weight for one in corrected]))


@pytest.mark.slow
def test_the_weighted_fit_ranks_like_one_without_bias_and_the_naive_one_does_not() -> None:
    """No correction is the planted bug: it loses more than .05."""
    naive, weighted = [], []
    for seed in SEEDS:
        biased, held = Readers(seed, questions=600), Readers(100 + seed, questions=600)
        honest = fitted(replace(biased, steep=0.0), {})
        scores = [ndcgs(held.relevant, held.features @ one[:-1])
                  for one in (fitted(biased, {}), fitted(biased, estimate(biased.looks)), honest)]
        naive.append(scores[0] - scores[2])
        weighted.append(scores[1] - scores[2])
        print(f"seed {seed}: naive {scores[0].mean():.3f}, weighted {scores[1].mean():.3f}, "
              f"without bias {scores[2].mean():.3f}")
    low, high = paired_interval(np.concatenate(weighted))
    worst, best = paired_interval(np.concatenate(naive))
    print(f"less than without bias: weighted {low:+.3f} to {high:+.3f}, naive {worst:+.3f} to {best:+.3f}")
    assert low > -0.02
    assert best < -0.05


def test_nothing_to_estimate_from_is_no_propensity() -> None:
    nothing = looks([])
    one_place = looks([(1, 1, 1.0)] * 50)
    never_helpful = looks([(place, place, 0.0) for place in (1, 2, 3)] * 50)
    without_first = looks([(place, place, 1.0) for place in (2, 3)] * 50)
    for seen in (nothing, one_place, never_helpful, without_first):
        assert estimate(seen) == {}


def test_always_helpful_is_a_number() -> None:
    found = estimate(looks([(place, place, 1.0) for place in (1, 2)] * 50))
    assert found == {1: 1.0, 2: pytest.approx(1.0)}


def test_a_swap_of_few_tells_nothing() -> None:
    """Half of those that the swap moved down helped, all others did: p(2) = (1 + 1/2) / (1 + 1)."""
    rows = [(place, place, 1.0) for place in (1, 2)] * 500 + [(1, 2, 1.0), (2, 1, 1.0)] * 20
    assert from_swaps(looks(rows)) == {}
    moved_down = [(2, 1, 1.0), (2, 1, 0.0), (1, 2, 1.0)] * 50
    assert from_swaps(looks(rows[:1000] + moved_down)) == {1: 1.0, 2: pytest.approx(0.75)}


def test_what_a_label_counts() -> None:
    vote = replace(SHOWN, source="vote", relevance=0, position=2)
    praise = replace(SHOWN, relevance=1, position=2)
    doubt, cited = replace(SHOWN, position=2), replace(SHOWN, source="cited", relevance=1, position=2)
    labels = [vote, praise, doubt, cited, replace(vote, position=None), replace(vote, position=9)]
    weights = [one.weight for one in correct(labels, {1: 1.0, 2: 0.5, 3: 0.01}, CLIP)]
    assert weights == [2.0, 2.0, 1.0, 1.0, 1.0, CLIP]
    assert correct(labels, {}, CLIP) == labels and correct([], {2: 0.5}, CLIP) == []
