"""Reranking: what the model reads, and the order that comes of its scores."""

import random
from collections.abc import Sequence
from statistics import mean, pstdev

from homes.small_world import passage

from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.question.query import form_query
from vouch.retrieval.recipe.reranking import rerank
from vouch.values.candidate import Candidate

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


def found(chunk_id: str, lexical: float | None, dense: float | None) -> Candidate:
    return Candidate(passage(f"Words of {chunk_id}.", chunk_id=chunk_id), lexical_score=lexical, dense_score=dense)


def order(scores: Sequence[float], candidates: list[Candidate], **more: float) -> list[str]:
    return [c.chunk_id for c in rerank(Scripted(*scores), QUERY, candidates, len(candidates), **more)]


def test_the_engines_decide_between_scores_that_are_close_and_not_between_others() -> None:
    close = [found("a", 1.0, 0.2), found("b", 9.0, 0.9), found("c", 1.0, 0.2)]
    assert order((0.51, 0.50, 0.10), close) == ["b", "a", "c"]
    assert order((0.51, 0.50, 0.10), close, engines=0) == ["a", "b", "c"]
    assert order((0.90, 0.10, 0.11), close) == ["a", "b", "c"]


def test_the_order_is_that_of_the_formula() -> None:
    draw = random.Random(6)
    for _ in range(50):
        pool_ = [found(f"c{n:02}", draw.uniform(1, 20), draw.uniform(-1, 1)) for n in range(12)]
        scores, engines = [draw.uniform(0, 1) for _ in pool_], draw.uniform(0, 2)

        def part(values: Sequence[float], n: int) -> float:
            return (values[n] - mean(values)) / pstdev(values)

        joined = {
            c.chunk_id: part(scores, n)
            + engines * (part([c.lexical_score or 0 for c in pool_], n) + part([c.dense_score or 0 for c in pool_], n))
            for n, c in enumerate(pool_)
        }
        assert order(scores, pool_, engines=engines) == sorted(joined, key=lambda one: -joined[one])


def test_what_an_engine_did_not_find_counts_as_the_worst_it_found() -> None:
    missing = [found("a", None, 0.5), found("b", 2.0, 0.5), found("c", 8.0, 0.5)]
    assert order((0.5, 0.5, 0.5), missing) == ["c", "a", "b"]
    assert order((0.5, 0.5), [found("a", None, None), found("b", None, 0.1)]) == ["a", "b"]
