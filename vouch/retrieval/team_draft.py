"""Team-draft interleaving: one list of two orders, so that readers show by what they use which order is better.

In turns each order, its team, puts its best passage that is not taken yet
into the list; a coin says for each turn who goes first (Radlinski, Kurup and
Joachims, CIKM 2008, "How does clickthrough data reflect retrieval quality?").
The coins come from a hash of the question. So a place in the list alone tells
afterwards whose passage it is, and an answer made anew has the same list.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vouch.ports.fusion import Contribution, Fusion, Look
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import Query

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
        if not all(math.isfinite(score) for given in scores.values() for score in given):
            return [math.nan] * len(candidates)
        places: dict[int, int] = {}
        waiting = {team: iter(_order(given, candidates)) for team, given in scores.items()}
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
