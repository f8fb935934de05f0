"""Fuse: one list out of two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from vouch.ports.index import Contribution, Fusion, Look, View
from vouch.retrieval.hits import Hits
from vouch.values.candidate import Candidate
from vouch.values.question import Query

RRF_K = 60


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """The sum of 1/(k + rank) over both lists (Cormack, Clarke and Büttcher, SIGIR 2009).

    `instead_of`: why no learned fusion serves, where the settings name one.
    """

    k: int = RRF_K
    instead_of: str = ""

    @property
    def name(self) -> str:
        return f"reciprocal ranks ({self.instead_of})" if self.instead_of else "reciprocal ranks"

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look | None = None) -> list[float]:
        return [
            sum(1 / (self.k + rank) for rank in (c.lexical_rank, c.dense_rank) if rank is not None) for c in candidates
        ]

    def explain(
        self, query: Query, candidates: Sequence[Candidate], look: Look | None = None
    ) -> list[list[Contribution]]:
        return [self.of_ranks(c.lexical_rank, c.dense_rank) for c in candidates]

    def of_ranks(self, lexical: int | None, dense: int | None) -> list[Contribution]:
        """What a candidate with these ranks has of each."""
        ranks = ("bm25_rank", lexical), ("sem_rank", dense)
        return [Contribution(name, rank, 1 / (self.k + rank)) for name, rank in ranks if rank is not None]


class Fused(NamedTuple):
    """`by`: the name of what ordered them."""

    candidates: list[Candidate]
    by: str


def fuse(view: View, query: Query, hits: Hits, fusion: Fusion) -> Fused:
    """The candidates of both lists with their passages, best score first, ties by chunk id; ranks count from 1.

    Where the fusion gives something that is no number, reciprocal ranks serve.
    """
    lexical = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(hits.lexical, 1)}
    dense = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(hits.dense, 1)}
    ids = list(dict.fromkeys((*lexical, *dense)))
    merged = [
        Candidate(passage, *lexical.get(chunk_id, (None, None)), *dense.get(chunk_id, (None, None)))
        for chunk_id, passage in zip(ids, view.passages(ids), strict=True)
    ]
    scores: Sequence[float] = fusion.scores(query, merged, lambda: view.statistics(query.terms))
    if not all(map(math.isfinite, scores)):
        fusion = instead = ReciprocalRanks(instead_of=f"{fusion.name} gave no number")
        scores = instead.scores(query, merged)
    ordered = sorted(zip(scores, merged, strict=True), key=lambda pair: (-pair[0], pair[1].chunk_id))
    fused = [replace(c, fused_score=score, fused_rank=rank) for rank, (score, c) in enumerate(ordered, 1)]
    return Fused(fused, fusion.name)
