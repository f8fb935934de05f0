"""Reranking: what the model reads, and the order that comes of its scores."""

from collections.abc import Sequence

from small_world import passage

from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import form_query
from vouch.retrieval.rerank import rerank

QUERY = form_query("how long is the leave", SnowballAnalyser())


class Scripted:
    """Gives the scores it was told, and keeps what it was asked."""

    fingerprint = "scripted"

    def __init__(self, *scores: float) -> None:
        self._scores = list(scores)
        self.asked: list[tuple[str, str]] = []

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.asked += pairs
        return self._scores

    def forget(self) -> None: ...


def pool(*ids: str) -> list[Candidate]:
    return [Candidate(passage(f"Words of {one}.", chunk_id=one, section=("Leave", one))) for one in ids]


def test_the_model_reads_the_headings_before_the_passage() -> None:
    reranker = Scripted(0.1, 0.2)
    rerank(reranker, QUERY, pool("a", "b"), 2)
    assert reranker.asked == [(QUERY.text, "leave > a\nWords of a."), (QUERY.text, "leave > b\nWords of b.")]


def test_equal_scores_are_ordered_by_chunk_id_whatever_order_they_came_in() -> None:
    for ids in (("c", "a", "b"), ("b", "c", "a")):
        ranked = rerank(Scripted(0.5, 0.5, 0.5), QUERY, pool(*ids), 3)
        assert [(c.chunk_id, c.rerank_rank) for c in ranked] == [("a", 1), ("b", 2), ("c", 3)]


def test_what_is_outside_the_pool_follows_unscored() -> None:
    ranked = rerank(Scripted(0.1, 0.9), QUERY, pool("a", "b", "d", "c"), 2)
    assert [(c.chunk_id, c.rerank_score, c.rerank_rank) for c in ranked] == [
        ("b", 0.9, 1), ("a", 0.1, 2), ("d", None, None), ("c", None, None),
    ]
