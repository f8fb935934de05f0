"""An evaluator that takes every passage for equally likely to answer."""

from collections.abc import Sequence

from vouch.values.candidate import Candidate


class FixedEvaluator:
    fingerprint, judged_with = "fixed", ""

    def __init__(self, probability: float, thresholds: tuple[float, float] = (0.3, 0.6)) -> None:
        self.thresholds = thresholds
        self._probability = probability

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        return [self._probability for _ in candidates]
