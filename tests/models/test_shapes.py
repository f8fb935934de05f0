"""Every text goes to one form of pass, chosen by its own length."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.models.passes import Shapes, fill


@given(st.integers(8, 1500), st.sampled_from(["cpu", "cuda"]), st.booleans(), st.data())
def test_a_text_goes_to_the_narrowest_form(limit: int, device: str, packed: bool, data: st.DataObject) -> None:
    shapes = Shapes.of(limit, device, packed=packed)
    length = data.draw(st.integers(1, limit))
    form = shapes.place(length)
    assert length < form.width <= limit + 1
    assert all(other.width <= length for other in shapes.forms if other.width < form.width)


@given(st.integers(40, 600), st.booleans(), st.data())
def test_a_pass_is_filled_up_to_its_room_and_no_further(limit: int, packed: bool, data: st.DataObject) -> None:
    form = Shapes.of(limit, "cpu", packed=packed).forms[-1]
    lengths = data.draw(st.lists(st.integers(1, limit), min_size=1, max_size=120))
    chosen = fill(form, lengths)
    used = sum(form.size(lengths[i]) for i in chosen)
    assert chosen == sorted(set(chosen)) and chosen[0] == 0 and used <= form.room
    assert all(form.size(n) > form.room - used for i, n in enumerate(lengths) if i not in chosen)


@given(st.integers(8, 1500), st.booleans())
def test_widths_rise_and_every_text_has_room(limit: int, packed: bool) -> None:
    forms = Shapes.of(limit, "cpu", packed=packed).forms
    widths = [form.width for form in forms]
    assert widths == sorted(set(widths)) and widths[-1] == limit + 1
    assert all(form.size(form.width - 1) <= form.room for form in forms)
    if not packed:
        assert all(b <= max(2 * a, a + 256) for a, b in itertools.pairwise(widths))


def test_an_input_past_the_limit_has_no_place() -> None:
    with pytest.raises(StopIteration):
        Shapes.of(256, "cpu", packed=True).place(257)


@given(st.integers(40, 600), st.booleans(), st.data())
def test_what_is_likely_fits_into_passes_that_run_anyway(limit: int, packed: bool, data: st.DataObject) -> None:
    shapes = Shapes.of(limit, "cpu", packed=packed)
    needed, likely = (data.draw(st.lists(st.integers(1, limit), max_size=80)) for _ in range(2))
    chosen = shapes.fitting(needed, likely)
    assert chosen == sorted(set(chosen)) and (needed or not likely or chosen[0] == 0)
    for form in shapes.forms:
        alone, more = (sum(form.size(n) for n in ns if shapes.place(n) == form)
                       for ns in (needed, [*needed, *(likely[i] for i in chosen)]))
        assert more <= max(form.room, -(-alone // form.room) * form.room)
