"""A candidate as the ledger keeps it, for learning later."""

from typing import Any

from vouch.retrieval.candidate import Candidate


def candidate_row(candidate: Candidate, *, shown: int | None, schema: int) -> dict[str, Any]:
    """Ranks and scores of every stage. `shown`: the number of its citation; `schema`: of the feature vector."""
    return {
        "chunk_id": candidate.chunk_id,
        "lexical_rank": candidate.lexical_rank,
        "lexical_score": candidate.lexical_score,
        "dense_rank": candidate.dense_rank,
        "dense_score": candidate.dense_score,
        "fused_rank": candidate.fused_rank,
        "fused_score": candidate.fused_score,
        "expansion": candidate.expansion,
        "seed": candidate.seed,
        "rerank_rank": candidate.rerank_rank,
        "rerank_score": candidate.rerank_score,
        "probability": candidate.probability,
        "shown": shown,
        "schema": schema,
        "features": dict(candidate.features),
    }
