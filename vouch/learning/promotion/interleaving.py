"""Which of two interleaved fusions people were served better by: credits of the teams of a team draft.

Each cited passage is a credit for the team that put it into the list
(`vouch.retrieval.experiments`): of whoever asked, once more of whoever voted
for the answer, and one to take away of whoever voted against it. The team
with more credits of a person, over all answers, wins that person: the coins
can be predicted, so somebody could ask only what one team wins, but is one
person all the same. Whether wins are chance is told by a sign test: under
equal models each person that is no tie is won by either with one half.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from vouch.learning.promotion.shadowing import RankedAnswer
from vouch.ports.models import Analyser
from vouch.retrieval.experiments import Team, interleaved_name, team_at
from vouch.retrieval.question.listing import as_list
from vouch.retrieval.question.query import form_query

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Outcomes:
    """People, from the side of the shadow."""

    wins: int
    ties: int
    losses: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the share of wins among what was won or lost (Clopper and Pearson 1934, exact)."""
        return exact_interval(self.wins, self.wins + self.losses)


def outcomes(answers: Iterable[RankedAnswer], current: str, shadow: str, analyser: Analyser) -> Outcomes:
    """Of the answers that were made from the orders of these two, by their names, and of no others."""
    made_by = interleaved_name(current, shadow)
    leads: Counter[str] = Counter()     # of the shadow, by person
    for answer in answers:
        if answer.fused_by == made_by:
            credit = credits_of(answer, analyser)
            lead = credit["shadow"] - credit["current"]
            leads[answer.asker] += lead
            for person, vote in answer.votes.items():
                leads[person] += vote * lead
    wins, losses = sum(lead > 0 for lead in leads.values()), sum(lead < 0 for lead in leads.values())
    return Outcomes(wins, len(leads) - wins - losses, losses)


def credits_of(answer: RankedAnswer, analyser: Analyser) -> dict[Team, int]:
    """How many cited passages are each team's. One that came as a neighbor of another is nobody's."""
    query = as_list(form_query(answer.question, analyser), analyser)
    credit: dict[Team, int] = {"current": 0, "shadow": 0}
    for row in answer.rows:
        if row["cited"] and row["fused_rank"] and row["expansion"] == "none":
            credit[team_at(query.text, row["fused_rank"])] += 1
    return credit


def exact_interval(wins: int, trials: int) -> tuple[float, float]:
    """Of a share, at 95 %. All of 0 to 1 without a trial."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if wins == 0 else _solved(lambda p: _at_least(wins, trials, p) >= tail)
    high = 1.0 if wins == trials else _solved(lambda p: 1 - _at_least(wins + 1, trials, p) < tail)
    return low, high


def _solved(beyond: Callable[[float], bool]) -> float:
    """The least share from which on it is beyond, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


def _at_least(wins: int, trials: int, share: float) -> float:
    """P(so many wins or more)."""
    if not 0 < share < 1:
        return float(share >= 1 or wins == 0)
    log = math.lgamma(trials + 1)
    return math.fsum(
        math.exp(log - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
                 + k * math.log(share) + (trials - k) * math.log1p(-share))
        for k in range(wins, trials + 1)
    )
