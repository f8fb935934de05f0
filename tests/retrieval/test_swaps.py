"""Swaps are rare, even, repeatable, and of neighbors alone."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from vouch.retrieval.experiments import swap


@given(st.integers(0, 30), st.text(max_size=20), st.integers(0, 12), st.sampled_from([0.0, 0.3, 1.0]))
def test_at_most_two_neighbors_of_the_first_change_places(count: int, asked: str, depth: int, rate: float) -> None:
    before = list(range(1, count + 1))
    after, swapped = swap(before, rate, asked, depth)
    assert swap(before, rate, asked, depth) == (after, swapped)
    assert [n for n, (was, now) in enumerate(zip(before, after, strict=True), 1) if was != now] == list(swapped)
    assert sorted(after) == before
    assert not swapped or (swapped[1] - swapped[0] == 1 and swapped[1] <= depth)
    assert not swapped or rate
    assert swapped or rate < 1 or min(count, depth) < 2


def test_each_pair_is_drawn_as_often_and_all_together_at_the_rate() -> None:
    drawn = Counter(swap("abcdef", 0.1, f"q{n}", 5)[1] for n in range(20_000))
    assert abs(drawn[()] / 20_000 - 0.9) < 0.01
    assert all(abs(drawn[n, n + 1] / 20_000 - 0.025) < 0.005 for n in range(1, 5)) and len(drawn) == 5
