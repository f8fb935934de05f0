"""Simulated readers: they look at the first places most, and mark what seems to help; some are wrong, some mean to be.

A reader looks at place k with 1/k**steep, and marks what it looks at if it is
relevant, or with `noise` if it is not. What is relevant depends on features that the ranking
weighs otherwise, so that what it puts first is marked most without being best.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vouch.learning.labels.propensity import Looks
from vouch.learning.statistics.logistic import sigmoid
from vouch.retrieval.experiments import swap

Floats = NDArray[np.float64]
SHOWN = 10
TRUE = np.array([0.4, 1.6, -0.8, 0.0])  # what makes a passage relevant
SERVED = np.array([1.5, 0.2, 0.0, 0.6])     # what the ranking orders by


@dataclass(frozen=True)
class Readers:
    """`questions` questions with `passages` candidates each, each asked once."""

    seed: int
    questions: int = 2000
    passages: int = 20
    steep: float = 1.0
    noise: float = 0.05
    swaps: float = 0.0

    @cached_property
    def truth(self) -> dict[int, float]:
        return {place: place**-self.steep for place in range(1, SHOWN + 1)}

    @cached_property
    def _random(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @cached_property
    def features(self) -> Floats:
        return self._random.normal(size=(self.questions, self.passages, len(TRUE)))

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        chance = sigmoid(self.features @ TRUE - 1.5)
        return np.asarray(np.random.default_rng([self.seed, 1]).random(chance.shape) < chance)

    @cached_property
    def looks(self) -> Looks:
        """What is shown of each question, and what is marked as helpful."""
        order = np.argsort(-(self.features @ SERVED), axis=1)[:, :SHOWN]
        places = np.arange(1, SHOWN + 1)
        ranked = np.array([
            swap(places.tolist(), self.swaps, f"{self.seed}-{n}", SHOWN)[0] for n in range(self.questions)])
        shown = np.take_along_axis(order, ranked - 1, axis=1)
        random = np.random.default_rng([self.seed, 2])
        looked = random.random(shown.shape) < places**-self.steep
        seems = np.take_along_axis(self.relevant, shown, axis=1) | (random.random(shown.shape) < self.noise)
        features = np.take_along_axis(self.features, shown[:, :, None], axis=1)
        return Looks(np.tile(places, self.questions), ranked.ravel(), (looked & seems).ravel().astype(float),
                     features.reshape(-1, len(TRUE)))


def ndcgs(relevant: NDArray[np.bool_], scores: Floats, depth: int = 10) -> Floats:
    """nDCG@10 of each question that has something relevant."""
    discount = 1 / np.log2(np.arange(2, depth + 2))
    order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    gained = np.take_along_axis(relevant, order, axis=1) @ discount
    ideal = -np.sort(-relevant.astype(float), axis=1)[:, :depth] @ discount
    return np.asarray(gained[ideal > 0] / ideal[ideal > 0])
