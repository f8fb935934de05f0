"""Fuse: one list out of two."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vouch.ports.fusion import Fusion
from vouch.ports.index import View
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import Query
from vouch.retrieval.retrieve import Hits

RRF_K = 60


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """The sum of 1/(k + rank) over both lists (Cormack, Clarke and Büttcher, SIGIR 2009)."""

    k: int = RRF_K

    def scores(self, query: Query, candidates: Sequence[Candidate]) -> list[float]:
        return [
            sum(1 / (self.k + rank) for rank in (c.lexical_rank, c.dense_rank) if rank is not None) for c in candidates
        ]


def fuse(view: View, query: Query, hits: Hits, fusion: Fusion) -> list[Candidate]:
    """The candidates of both lists with their passages, best score first, ties by chunk id; ranks count from 1."""
    lexical = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(hits.lexical, 1)}
    dense = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(hits.dense, 1)}
    ids = list(dict.fromkeys((*lexical, *dense)))
    merged = [
        Candidate(passage, *lexical.get(chunk_id, (None, None)), *dense.get(chunk_id, (None, None)))
        for chunk_id, passage in zip(ids, view.passages(ids), strict=True)
    ]
    scored = zip(fusion.scores(query, merged), merged, strict=True)
    ordered = sorted(scored, key=lambda pair: (-pair[0], pair[1].chunk_id))
    return [replace(c, fused_score=score, fused_rank=rank) for rank, (score, c) in enumerate(ordered, 1)]
