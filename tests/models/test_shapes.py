"""Every text goes to one shape, chosen by its own length."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.shapes import Shapes


@given(st.integers(8, 1500), st.sampled_from(["cpu", "cuda"]), st.data())
def test_batches_hold_every_input_once_in_its_own_shape(limit: int, device: str, data: st.DataObject) -> None:
    shapes = Shapes.of(limit, device)
    lengths = data.draw(st.lists(st.integers(0, limit), max_size=60))
    seen: list[int] = []
    for width, rows, members in shapes.batches(lengths):
        assert 0 < len(members) <= rows
        for member in members:
            assert (width, rows) == shapes.place(lengths[member])
            assert lengths[member] < width <= limit + 1        # one place stays free
        seen += members
    assert sorted(seen) == list(range(len(lengths)))


@given(st.integers(8, 1500))
def test_widths_rise_and_waste_little(limit: int) -> None:
    widths = [width for width, _ in Shapes.of(limit, "cpu").table]
    assert widths == sorted(set(widths)) and widths[-1] == limit + 1
    assert all(b <= max(2 * a, a + 256) for a, b in itertools.pairwise(widths))


def test_an_input_past_the_limit_has_no_place() -> None:
    with pytest.raises(StopIteration):
        Shapes.of(256, "cpu").place(257)
