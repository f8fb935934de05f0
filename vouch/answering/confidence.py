"""How sure an answer is: one number from three parts, and a level by stated bounds.

value = evaluator × (0.6 + 0.25 × support + 0.15 × agreement), so it rises
with each part and never passes the evaluator's calibrated probability.
An ambiguous verdict keeps it below MEDIUM_FROM.

The other form is a sum, of what one may look at without a calibrated judge:
value = 0.5 × rerank + 0.3 × citations + 0.2 × facts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vouch.ports.models import MAXSIM
from vouch.values.candidate import Candidate

Level = Literal["low", "medium", "high"]
Form = Literal["product", "sum"]
MEDIUM_FROM = 0.4
HIGH_FROM = 0.65
SUM_HIGH_FROM = 0.7
AGREEMENT_RANK = 10                     # a retriever agrees when it has the passage this high


@dataclass(frozen=True, slots=True)
class Confidence:
    value: float
    level: Level
    evaluator: float                    # best calibrated probability among the cited passages
    support: float                      # share of the answer's words that its quotes hold
    agreement: float                    # share of retrievers with a cited passage in their first ten
    summed: "Summed | None" = None      # what the value was made of, if by a sum


@dataclass(frozen=True, slots=True)
class Summed:
    """All from 0 to 1."""

    rerank: float                       # best reranker's score among the cited passages
    citations: float                    # share of the drafted sentences whose quotes hold
    facts: float                        # share of the draft's numbers that its quotes hold

    @property
    def value(self) -> float:
        return 0.5 * self.rerank + 0.3 * self.citations + 0.2 * self.facts


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
    return _leveled(Confidence(value, "low", evaluator, support, agreement), HIGH_FROM, ambiguous=ambiguous)


def add_up(one: Confidence, parts: Summed, *, ambiguous: bool) -> Confidence:
    """The same with the value of the sum."""
    return _leveled(replace(one, value=parts.value, summed=parts), SUM_HIGH_FROM, ambiguous=ambiguous)


def share_of(score: float, reranked_with: str) -> float:
    """A reranker's score from 0 to 1: MaxSim is a mean of cosines, a cross-encoder's score a log-odds."""
    if reranked_with == MAXSIM:
        return min(max(score, 0.0), 1.0)
    return 1 / (1 + math.exp(-min(max(score, -50.0), 50.0)))


def _leveled(one: Confidence, high_from: float, *, ambiguous: bool) -> Confidence:
    value = min(one.value, MEDIUM_FROM * 0.99) if ambiguous else one.value
    level: Level = "high" if value >= high_from else "medium" if value >= MEDIUM_FROM else "low"
    return replace(one, value=round(value, 4), level=level)
