"""Evaluate: probabilities become a verdict by two thresholds (arXiv 2401.15884), and who decides by it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vouch.errors import ModelDown
from vouch.ports.language import Draft
from vouch.ports.models import Evaluator
from vouch.values.candidate import Candidate

VerdictKind = Literal["correct", "ambiguous", "incorrect"]
NEAREST = 0.5                           # of the lower threshold; docs/evaluation.md says how it was chosen
FAR = 0.3                               # of the upper one, for what seems to be off the topic


@dataclass(frozen=True, slots=True)
class Verdict:
    """`scores` are the probabilities in the order of the candidates; `best` is the greatest, None without any."""

    kind: VerdictKind
    scores: tuple[float, ...]
    best: float | None
    thresholds: tuple[float, float]     # (lower, upper)
    reason: str
    on_topic: bool = True

    @property
    def has_nearest(self) -> bool:
        """Whether its passages are near enough to be shown though they may not answer: people see whether they do."""
        return self.on_topic and self.best is not None and self.best >= NEAREST * self.thresholds[0]

    def in_doubt(self, why: str) -> "Verdict":
        """The same probabilities; `why` goes on with the reason."""
        return replace(self, kind="ambiguous", reason=f"{self.reason}, {why}")

    def off_topic(self, why: str) -> "Verdict":
        """The same probabilities, and nothing to show unless one is high enough all the same; then it is in doubt."""
        if self.kind == "incorrect" or self.best is None or self.best < FAR * self.thresholds[1]:
            return replace(self, kind="incorrect", on_topic=False, reason=why)
        return replace(self, kind="ambiguous", on_topic=False, reason=f"{self.reason}, but {why}")


def judge(evaluator: Evaluator, question: str, candidates: Sequence[Candidate]) -> tuple[Verdict, list[Candidate]]:
    """The verdict, and the candidates with `probability` set, in their order.

    Correct if one candidate reaches upper, else ambiguous if one reaches
    lower, else incorrect; no candidates are incorrect too. The candidates
    carry their evidence features. Raises ModelDown for numbers that are no
    probabilities, rather than taking them for low ones.
    """
    lower, upper = evaluator.thresholds
    scores = tuple(evaluator.probabilities(question, candidates)) if candidates else ()
    if len(scores) != len(candidates) or not all(0.0 <= score <= 1.0 for score in scores):
        raise ModelDown(
            f"the evaluator gave {len(scores)} scores for {len(candidates)} candidates, or some outside 0 to 1",
            cure="run vouch doctor, or train the evaluator again",
        )
    judged = [replace(c, probability=score) for c, score in zip(candidates, scores, strict=True)]
    return _verdict(scores, lower, upper), judged


def _verdict(scores: tuple[float, ...], lower: float, upper: float) -> Verdict:
    if not scores:
        return Verdict("incorrect", (), None, (lower, upper), "no passage was found for the question")
    best = max(scores)
    told, least, enough = told_apart(best, lower, upper)
    if best >= upper:
        return Verdict("correct", scores, best, (lower, upper),
                       f"the best passage has probability {told}; {enough} is enough")
    if best >= lower:
        reason = f"the best passage reaches {told}, between {least} and {enough}"
        return Verdict("ambiguous", scores, best, (lower, upper), reason)
    reason = f"the best passage reaches only {told}, less than {least}"
    return Verdict("incorrect", scores, best, (lower, upper), reason)


def told_apart(*numbers: float) -> list[str]:
    """The numbers with two decimals, or with as many more, up to six, as tell apart those that differ."""
    different = len(set(numbers))
    for decimals in range(2, 7):
        told = [f"{number:.{decimals}f}" for number in numbers]
        if len(set(told)) == different:
            break
    return told


def sure(verdict: Verdict, draft: Draft) -> bool:
    """Whether what holds of the draft is an answer, and not the nearest there is."""
    return draft.certain and (draft.decided or verdict.kind == "correct")


def likelihood(best: float, verdict: Verdict, draft: Draft) -> float:
    """`best` of the evaluator, for the passages that are cited; at least what it calls correct, if a writer says so."""
    return max(best, verdict.thresholds[1]) if draft.decided and draft.sentences and draft.certain else best
