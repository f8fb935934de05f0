"""Long lists are read and written in parts, and nothing is lost or changes its place between two of them."""

from hypothesis import given
from hypothesis import strategies as st

from vouch.batches import batches


@given(st.lists(st.integers(), max_size=40), st.integers(1, 12))
def test_parts_are_full_but_the_last_and_make_the_whole(values: list[int], size: int) -> None:
    parts = list(batches(values, size))
    assert [value for part in parts for value in part] == values
    assert all(len(part) == size for part in parts[:-1]) and all(parts)
