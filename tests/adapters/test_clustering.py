"""Clusters of vectors are those that were drawn."""

import numpy as np
import pytest

from vouch.adapters import clustering
from vouch.adapters.clustering import density_clusters

pytestmark = pytest.mark.slow                               # the library takes seconds to load


def drawn(seed: int, groups: int, size: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(groups, 64))
    vectors = np.repeat(centres / np.linalg.norm(centres, axis=1, keepdims=True), size, axis=0)
    vectors = vectors + 0.04 * draw.normal(size=vectors.shape)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


@pytest.mark.parametrize("all_pairs", [5_000, 0])
def test_what_was_drawn_together_is_found_together(all_pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_ALL_PAIRS", all_pairs)
    for seed in range(5):
        vectors = drawn(seed, 6, 12)
        numbers = density_clusters(vectors, 3)
        assert [len(set(numbers[n * 12 : n * 12 + 12])) for n in range(6)] == [1] * 6, seed
        assert len(set(numbers)) == 6 and -1 not in numbers
        assert numbers == density_clusters(vectors, 3)


def test_equal_vectors_and_few_are_no_trouble() -> None:
    assert density_clusters(np.zeros((0, 4), np.float32), 3) == []
    assert density_clusters(np.ones((2, 4), np.float32), 3) == [-1, -1]
    assert len(density_clusters(np.ones((9, 4), np.float32), 3)) == 9
    assert len(set(density_clusters(np.repeat(drawn(1, 4, 1), 6, axis=0), 3))) == 4
