"""Rerank: the pool in the order of a model that reads question and passage together."""

from dataclasses import replace

from vouch.documents.chunk import model_input
from vouch.ports.reranker import Reranker
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import Query


def rerank(reranker: Reranker, query: Query, candidates: list[Candidate], size: int) -> list[Candidate]:
    """The first `size` candidates by reranker score, ties by chunk id; the rest follows unscored.

    The model reads the section path before the passage, as the indices do:
    "12 weeks for everybody" answers a question on leave only under its heading.
    """
    pool = candidates[:size]
    texts = [model_input(c.passage.section, c.passage.text, c.passage.header) for c in pool]
    scores = reranker.scores([(query.text, text) for text in texts])
    ordered = sorted(zip(scores, pool, strict=True), key=lambda pair: (-pair[0], pair[1].chunk_id))
    ranked = [replace(c, rerank_score=score, rerank_rank=rank) for rank, (score, c) in enumerate(ordered, 1)]
    return ranked + candidates[size:]
