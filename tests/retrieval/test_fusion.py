"""Reciprocal rank fusion against a second way of computing it."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from homes.small_world import passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.ports.index import Look
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.hits import Hits
from vouch.values.candidate import Candidate, Hit, Statistics
from vouch.values.question import Query

ids = st.lists(st.text("abcdef", min_size=1, max_size=2), unique=True, max_size=12)


def hits(names: list[str]) -> tuple[Hit, ...]:
    return tuple(Hit(name, 10.0 - n) for n, name in enumerate(names))


class Passages:
    """A view that has every passage it is asked for."""

    def passages(self, chunk_ids: list[str]) -> list[Any]:
        return [passage("words", chunk_id=chunk_id) for chunk_id in chunk_ids]

    def statistics(self, terms: Sequence[str]) -> Statistics:
        raise AssertionError("reciprocal ranks need none")


def fused_by(hits: Hits, k: int = 60) -> list[Candidate]:
    view: Any = Passages()
    return fuse(view, Query("words", ()), hits, ReciprocalRanks(k)).candidates


@given(ids, ids, st.integers(1, 100))
def test_order_and_scores_are_those_of_exact_arithmetic(lexical: list[str], dense: list[str], k: int) -> None:
    fused = fused_by(Hits(hits(lexical), hits(dense)), k)
    exact = {
        name: sum((Fraction(1, k + r.index(name) + 1) for r in (lexical, dense) if name in r), Fraction())
        for name in {*lexical, *dense}
    }
    assert {one.chunk_id for one in fused} == exact.keys()
    for one in fused:
        assert abs(one.fused_score - float(exact[one.chunk_id])) < 1e-12
        assert one.lexical_rank == (lexical.index(one.chunk_id) + 1 if one.chunk_id in lexical else None)
        assert one.dense_rank == (dense.index(one.chunk_id) + 1 if one.chunk_id in dense else None)
    for one, other in itertools.pairwise(fused):
        assert (-exact[one.chunk_id], one.chunk_id) < (-exact[other.chunk_id], other.chunk_id)


@given(ids, ids)
def test_neither_list_is_preferred(lexical: list[str], dense: list[str]) -> None:
    one = fused_by(Hits(hits(lexical), hits(dense)))
    other = fused_by(Hits(hits(dense), hits(lexical)))
    assert [(f.chunk_id, f.fused_score) for f in one] == [(f.chunk_id, f.fused_score) for f in other]


def test_ties_break_by_chunk_id() -> None:
    fused = fused_by(Hits(hits(["b"]), hits(["a"])))
    assert [one.chunk_id for one in fused] == ["a", "b"]


class Broken(ReciprocalRanks):
    """Gives something that is no number."""

    @property
    def name(self) -> str:
        return "broken"

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look | None = None) -> list[float]:
        return [math.nan, *super().scores(query, candidates)[1:]]


def test_where_scores_are_no_numbers_reciprocal_ranks_serve_and_say_so() -> None:
    view: Any = Passages()
    found = fuse(view, Query("words", ()), Hits(hits(["b", "a"]), hits(["a"])), Broken())
    assert [one.chunk_id for one in found.candidates] == ["a", "b"]
    assert found.by == "reciprocal ranks (broken gave no number)"


def test_what_reciprocal_ranks_are_made_of() -> None:
    [both, one] = fused_by(Hits(hits(["a", "b"]), hits(["a"])))
    explained = ReciprocalRanks().explain(Query("words", ()), [both, one])
    assert [sum(part.adds for part in parts) for parts in explained] == [both.fused_score, one.fused_score]
    assert [part.feature for part in explained[1]] == ["bm25_rank"]
