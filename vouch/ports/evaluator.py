"""What judges whether evidence is enough."""

from collections.abc import Sequence
from typing import Protocol

from vouch.retrieval.candidate import Candidate


class Evaluator(Protocol):
    """Judges from a candidate's features how likely its passage holds the answer."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def judged_with(self) -> str:
        """Which judge has to read the passages for it; empty if none."""
        ...

    @property
    def thresholds(self) -> tuple[float, float]:
        """(lower, upper): below lower is incorrect, from upper on correct, between ambiguous."""
        ...

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Calibrated P(passage answers question), one per candidate, in [0, 1]."""
        ...
