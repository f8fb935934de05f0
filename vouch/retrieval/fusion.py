"""Fuse: one list out of two, by reciprocal ranks (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from dataclasses import dataclass

from vouch.ports.index import View
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.retrieve import Hits


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk of either list; ranks count from 1, None where a list lacks it."""

    chunk_id: str
    score: float
    lexical_score: float | None = None
    lexical_rank: int | None = None
    dense_score: float | None = None
    dense_rank: int | None = None


def reciprocal_ranks(hits: Hits, k: int) -> list[Fused]:
    """Every chunk of both lists by the sum of 1/(k + rank), best first, ties by chunk id."""
    lexical = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(hits.lexical, 1)}
    dense = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(hits.dense, 1)}
    fused = []
    for chunk_id in lexical.keys() | dense.keys():
        lexical_score, lexical_rank = lexical.get(chunk_id, (None, None))
        dense_score, dense_rank = dense.get(chunk_id, (None, None))
        score = sum(1 / (k + rank) for rank in (lexical_rank, dense_rank) if rank is not None)
        fused.append(Fused(chunk_id, score, lexical_score, lexical_rank, dense_score, dense_rank))
    return sorted(fused, key=lambda one: (-one.score, one.chunk_id))


def fuse(view: View, hits: Hits, k: int) -> list[Candidate]:
    """The candidates of both lists with their passages, in fused order."""
    fused = reciprocal_ranks(hits, k)
    passages = view.passages([one.chunk_id for one in fused])
    return [
        Candidate(
            passage=passage,
            lexical_score=one.lexical_score,
            lexical_rank=one.lexical_rank,
            dense_score=one.dense_score,
            dense_rank=one.dense_rank,
            fused_score=one.score,
            fused_rank=rank,
        )
        for rank, (one, passage) in enumerate(zip(fused, passages, strict=True), 1)
    ]
