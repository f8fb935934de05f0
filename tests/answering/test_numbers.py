"""Numbers in one notation, whatever the spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.numbers import numbers, unsupported


@pytest.mark.parametrize(("text", "found"), [
    ("1,000 and 1000.50", {"1000", "1000.5"}),
    ("five percent, 5 %, 5 per cent, 5%", {"5%"}),
    ("twenty-five people, two hundred and six dogs", {"25", "206"}),
    ("$5 million and 2.5 thousand", {"5000000", "2500"}),
    ("COVID-19 on 2023-01-31", {"19", "2023", "1", "31"}),
    ("at 10:30, comp7107a", {"10", "30", "7107"}),
    ("within a hundred days, or a thousand", {"100", "1000"}),
    ("often, someone, tension", set()),
    ("", set()),
])
def test_notation(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(("sentence", "cited", "missing"), [
    ("It takes 5 days.", "within five days", set()),
    ("It takes five days.", "within 5 days", set()),
    ("It takes 6 days.", "within five days", {"6"}),
    ("It is 5%.", "5 days", {"5%"}),
    ("It is 5.", "5 %", set()),
    ("One of them counts.", "some count", set()),
    ("1 counts.", "some count", {"1"}),
    ("Up to 1000 files.", "up to 1,000 files", set()),
    ("Up to 100 files.", "up to 1,000 files", {"100"}),
])
def test_support(sentence: str, cited: str, missing: set[str]) -> None:
    assert unsupported(sentence, cited) == missing


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_only_an_equal_number_supports(one: int, other: int) -> None:
    assert (unsupported(f"It is {one:,}.", f"exactly {other}") == set()) == (one == other)


@pytest.mark.parametrize("text", ["9" * 400, "hundred " * 400, "a million " * 400, "one hundred and " * 400])
def test_numbers_beyond_all_measure_are_numbers_too(text: str) -> None:
    assert numbers(text) and not unsupported(text, text)
