"""Orders served to learn from: swaps of neighbors, and one list of two orders by team draft.

Swaps: which of the two people find helpful then tells how much a place counts,
whatever stands there (Joachims, Swaminathan and Schnabel, WSDM 2017). The
draw is a hash of the question's id: the same answer is made again the same,
and what a reader may not see decides nothing.

Team draft: in turns each order, its team, puts its best passage that is not taken yet
into the list; a coin says for each turn who goes first (Radlinski, Kurup and
Joachims, CIKM 2008, "How does clickthrough data reflect retrieval quality?").
The coins come from a hash of the question. So a place in the list alone tells
afterwards whose passage it is, and an answer made anew has the same list.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from vouch.ports.index import Contribution, Fusion, Look
from vouch.values.candidate import Candidate
from vouch.values.question import Query

T = TypeVar("T")


def swap(ordered: Sequence[T], rate: float, question_id: str, depth: int) -> tuple[list[T], tuple[int, ...]]:
    """The list, and the two positions (from 1) that changed places; none for all but `rate` of the questions.

    Each pair of neighbors among the first `depth` is as likely as any other.
    """
    ranking = list(ordered)
    pairs = min(len(ranking), depth) - 1
    if rate <= 0 or pairs < 1:
        return ranking, ()
    digest = hashlib.sha256(b"swap:" + question_id.encode()).digest()
    if int.from_bytes(digest[:8]) >= rate * 2**64:
        return ranking, ()
    first = int.from_bytes(digest[8:16]) * pairs >> 64
    ranking[first], ranking[first + 1] = ranking[first + 1], ranking[first]
    return ranking, (first + 1, first + 2)


Team = Literal["current", "shadow"]
INTERLEAVED = " interleaved with "


def interleaved_name(current: str, shadow: str) -> str:
    """As answers name what fused them."""
    return current + INTERLEAVED + shadow


def team_at(question: str, rank: int) -> Team:
    """Whose passage stands at `rank`, from 1, of the list for a query of this text."""
    turn, second = divmod(rank - 1, 2)
    coin = hashlib.sha256(f"team draft {turn}: {question}".encode()).digest()[0] & 1
    return "shadow" if coin ^ second else "current"


@dataclass(frozen=True, slots=True)
class TeamDraft:
    """Implements the Fusion port: merges the orders of two others."""

    current: Fusion
    shadow: Fusion

    @property
    def name(self) -> str:
        return interleaved_name(self.current.name, self.shadow.name)

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look) -> list[float]:
        """1/rank in the list. No number, so that reciprocal ranks serve, if one of the two gives none."""
        scores = {"current": self.current.scores(query, candidates, look),
                  "shadow": self.shadow.scores(query, candidates, look)}
        if not all(math.isfinite(score) for team_scores in scores.values() for score in team_scores):
            return [math.nan] * len(candidates)
        places: dict[int, int] = {}
        waiting = {team: iter(_order(team_scores, candidates)) for team, team_scores in scores.items()}
        for rank in range(1, len(candidates) + 1):
            pick = next(n for n in waiting[team_at(query.text, rank)] if n not in places)
            places[pick] = rank
        return [1 / places[n] for n in range(len(candidates))]

    def explain(self, query: Query, candidates: Sequence[Candidate], look: Look) -> list[list[Contribution]]:
        """Per candidate whose it is, and what it adds: all of the score."""
        scores = self.scores(query, candidates, look)
        return [[Contribution(f"drafted_by_{team_at(query.text, round(1 / s))}", round(1 / s), s)] for s in scores]


def _order(scores: Sequence[float], candidates: Sequence[Candidate]) -> list[int]:
    """Best first, ties by chunk id, as `fuse` has them."""
    return sorted(range(len(candidates)), key=lambda n: (-scores[n], candidates[n].chunk_id))
