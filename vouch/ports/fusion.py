"""What makes one order of the two engines' lists."""

from collections.abc import Sequence
from typing import Protocol

from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import Query


class Fusion(Protocol):
    """Sees the ranks and scores that a candidate has from both engines, and its passage."""

    def scores(self, query: Query, candidates: Sequence[Candidate]) -> Sequence[float]:
        """One score per candidate, higher is better."""
        ...
