"""Reciprocal rank fusion against a second way of computing it."""

import itertools
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from vouch.retrieval.candidate import Hit
from vouch.retrieval.fusion import reciprocal_ranks
from vouch.retrieval.retrieve import Hits

ids = st.lists(st.text("abcdef", min_size=1, max_size=2), unique=True, max_size=12)


def hits(names: list[str]) -> tuple[Hit, ...]:
    return tuple(Hit(name, 10.0 - n) for n, name in enumerate(names))


@given(ids, ids, st.integers(1, 100))
def test_order_and_scores_are_those_of_exact_arithmetic(lexical: list[str], dense: list[str], k: int) -> None:
    fused = reciprocal_ranks(Hits(hits(lexical), hits(dense)), k)
    exact = {
        name: sum((Fraction(1, k + r.index(name) + 1) for r in (lexical, dense) if name in r), Fraction())
        for name in {*lexical, *dense}
    }
    assert {one.chunk_id for one in fused} == exact.keys()
    for one in fused:
        assert abs(one.score - float(exact[one.chunk_id])) < 1e-12
        assert one.lexical_rank == (lexical.index(one.chunk_id) + 1 if one.chunk_id in lexical else None)
        assert one.dense_rank == (dense.index(one.chunk_id) + 1 if one.chunk_id in dense else None)
    for one, other in itertools.pairwise(fused):
        assert (-exact[one.chunk_id], one.chunk_id) < (-exact[other.chunk_id], other.chunk_id)


@given(ids, ids)
def test_neither_list_is_preferred(lexical: list[str], dense: list[str]) -> None:
    one = reciprocal_ranks(Hits(hits(lexical), hits(dense)), 60)
    other = reciprocal_ranks(Hits(hits(dense), hits(lexical)), 60)
    assert [(f.chunk_id, f.score) for f in one] == [(f.chunk_id, f.score) for f in other]


def test_ties_break_by_chunk_id() -> None:
    fused = reciprocal_ranks(Hits(hits(["b"]), hits(["a"])), 60)
    assert [one.chunk_id for one in fused] == ["a", "b"]
