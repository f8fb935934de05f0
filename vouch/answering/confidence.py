"""How sure an answer is: one number from three parts, and a level by stated bounds.

value = evaluator × (0.6 + 0.25 × support + 0.15 × agreement), so it rises
with each part and never passes the evaluator's calibrated probability.
An ambiguous verdict keeps it below MEDIUM_FROM.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vouch.retrieval.candidate import Candidate

Level = Literal["low", "medium", "high"]
MEDIUM_FROM = 0.4
HIGH_FROM = 0.65
AGREEMENT_RANK = 10                     # a retriever agrees when it has the passage this high


@dataclass(frozen=True, slots=True)
class Confidence:
    value: float
    level: Level
    evaluator: float                    # best calibrated probability among the cited passages
    support: float                      # share of the answer's words that its quotes hold
    agreement: float                    # share of retrievers with a cited passage in their first ten


def agreement(cited: Sequence[Candidate]) -> float:
    """0, 0.5 or 1: how many of the two retrievers had some cited passage in their first ten."""
    return sum(any(_high(rank(one)) for one in cited) for rank in (_lexical, _dense)) / 2


def outranking(found: Sequence[Candidate], cited: Sequence[Candidate]) -> list[Candidate]:
    """Those of all that was `found` that keep a retriever from agreeing: without them it might."""
    ahead: list[Candidate] = []
    for rank in (_lexical, _dense):
        if not any(_high(rank(one)) for one in cited):
            ahead += [one for one in found if _high(rank(one))]
    return ahead


def _lexical(one: Candidate) -> int | None:
    return one.lexical_rank


def _dense(one: Candidate) -> int | None:
    return one.dense_rank


def _high(rank: int | None) -> bool:
    return rank is not None and rank <= AGREEMENT_RANK


def assess(evaluator: float, support: float, agreement: float, *, ambiguous: bool) -> Confidence:
    """All parts in [0, 1], and so is the value, which rises with each of them."""
    value = evaluator * (0.6 + 0.25 * support + 0.15 * agreement)
    if ambiguous:
        value = min(value, MEDIUM_FROM * 0.99)
    level: Level = "high" if value >= HIGH_FROM else "medium" if value >= MEDIUM_FROM else "low"
    return Confidence(round(value, 4), level, evaluator, support, agreement)
