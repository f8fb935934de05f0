"""Shortcuts of the search against the long way: the bound below the best, the first look at a term's head."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexers.segments import segment as rows_module
from indexers.segments.postings import make_postings, rounded_length
from indexers.segments.segment import RowTable

_SCORES = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, 1.5, 2.25, 3.0])


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(_SCORES, max_size=60), st.integers(0, 70), st.integers(0, 99), st.sampled_from([1, 2, 5]))
def test_the_best_of_all_rows_are_those_of_a_full_sort(
    scores: list[float], top: int, seed: int, group: int
) -> None:
    ids = np.random.default_rng(seed).integers(0, 256, (len(scores), 16)).astype(np.uint8)
    table = RowTable(1, (0, len(scores)), np.ones(len(scores), np.bool_), ids)
    wanted = sorted((-score, bytes(one).hex()) for one, score in zip(ids, scores, strict=True) if score > 0)[:top]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "_GROUP", group)
        found = table.best_positive(np.array(scores, np.float64), top)
    assert [(-hit.score, hit.chunk_id) for hit in found] == wanted


_TERMS = st.text(st.sampled_from("ab\0\x7fé漢😀"), min_size=1, max_size=12) | st.sampled_from(
    ["abcdefgh", "abcdefghi", "abcdefgha", "abcdefg", "a", "a\0", "a" * 40]
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, database=None)
@given(held=st.lists(st.lists(_TERMS, max_size=6), max_size=6), asked=st.lists(_TERMS, max_size=10))
def test_a_term_is_found_exactly_where_it_stands(held: list[list[str]], asked: list[str]) -> None:
    postings = make_postings(held, 8.0)
    for term in {*asked, *(t for row in held for t in row), "", "zzzzzzzzz"}:
        rows, weights = postings.find(term)
        assert rows.tolist() == [n for n, row in enumerate(held) if term in row]
        assert len(weights) == len(rows)


def test_lengths_are_rounded_as_lucene_rounds_them() -> None:
    """A table of SmallFloat.byte4ToInt(SmallFloat.intToByte4(n)), Lucene 9."""
    table = {0: 0, 1: 1, 24: 24, 39: 39, 40: 40, 41: 40, 42: 42, 57: 56, 100: 96, 1000: 984, 100_000: 98_328}
    assert {length: rounded_length(length) for length in table} == table
