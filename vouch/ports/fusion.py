"""What makes one order of the two engines' lists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from vouch.retrieval.candidate import Candidate, Statistics
from vouch.retrieval.query import Query

Look = Callable[[], Statistics]
"""Asks for the statistics of the query's terms over what its audience may see. Only who needs them asks."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to a candidate's score. `weight`: of a model; None where there is none, as in ranks."""

    feature: str
    value: float
    adds: float
    weight: float | None = None


class Fusion(Protocol):
    """Sees the ranks and scores that a candidate has from both engines, and its passage."""

    @property
    def name(self) -> str:
        """Which one it is, as answers name it."""
        ...

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look) -> Sequence[float]:
        """One score per candidate, higher is better."""
        ...

    def explain(self, query: Query, candidates: Sequence[Candidate], look: Look) -> Sequence[Sequence[Contribution]]:
        """Per candidate what its score is made of; the sum differs from the score by the same number for all."""
        ...
