"""Numbers as values with units, whatever the spelling."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.verification.numbers import numbers, unsupported
from vouch.answering.verification.quantities import quantities

whole = st.integers(0, 10**9)
UNITS = ["days", "weeks", "months", "%", "GB", "km", "euros"]


@pytest.mark.parametrize(("text", "found"), [
    ("1,000 and 1000.50", {"1000", "1000.5"}),
    ("five percent, 5 %, 5 per cent, 5%", {"5%"}),
    ("twenty-five people, two hundred and six dogs", {"25", "206"}),
    ("$5 million and 2.5 thousand", {"5000000 USD", "2500"}),
    ("COVID-19 on 2023-01-31", {"19", "2023", "1", "31"}),
    ("at 10:30, comp7107a", {"10", "30", "7107"}),
    ("within a hundred pages, or a thousand", {"100", "1000"}),
    ("often, someone, tension", set()),
    ("", set()),
])
def test_notation(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(("sentence", "cited", "missing"), [
    ("It takes 5 days.", "within five days", set()),
    ("It takes five days.", "within 5 days", set()),
    ("It takes 6 days.", "within five days", {"6 days"}),
    ("It is 5%.", "5 days", {"5%"}),
    ("It is 5.", "5 %", set()),
    ("One of them counts.", "some count", set()),
    ("Use it within one year.", "within a year", set()),
    ("1 counts.", "some count", {"1"}),
    ("Up to 1000 files.", "up to 1,000 files", set()),
    ("Up to 100 files.", "up to 1,000 files", {"100"}),
])
def test_support(sentence: str, cited: str, missing: set[str]) -> None:
    assert unsupported(sentence, cited) == missing


@pytest.mark.parametrize(("one", "other"), [
    ("12 days", "12 weeks"), ("12 months", "12 weeks"), ("$5", "€5"), ("$5", "£5"), ("5 %", "$5"), ("-5", "5"),
    ("5 °C", "5 °F"), ("5 working days", "5 days"), ("5%", "5 percentage points"), ("5 km", "5 miles"),
    ("20k", "20 files"), ("5 million", "5 billion"),
])
def test_what_measures_something_else_is_not_held(one: str, other: str) -> None:
    assert unsupported(f"It is {one}.", f"It is {other}.") and unsupported(f"It is {other}.", f"It is {one}.")


@pytest.mark.parametrize(("one", "other"), [
    ("20k", "20,000"), ("1.5M", "1.5 million"), ("$5m", "5 million dollars"), ("2bn", "2 billion"),
    ("1.000,50", "1000.50"), ("1,000.50", "1000.50"), ("2,3", "2.3"), ("1 200", "1200"), ("1\u202f200", "1,200"),
    ("1'200", "1200"), ("90 minutes", "1.5 hours"), ("90 min", "one and a half hours"), ("½ hour", "30 minutes"),
    ("half an hour", "30 minutes"), ("1½ hours", "90 minutes"), ("2 weeks", "14 days"), ("one year", "12 months"),
    ("$5", "USD 5"), ("5 euros", "€5"), ("-$5", "$-5"), ("-5 °C", "minus 5 °C"), ("12-week leave", "twelve weeks"),
    ("5 business days", "5 working days"), ("two dozen", "24"), ("24h", "24 hours"), ("1.5 km", "1500 m"),
    ("5-10 days", "5 to 10 days"), ("five to ten days", "5–10 days"), ("3 paid weeks", "3 weeks"),
    ("2023-01-31", "January 31, 2023"), ("31 May 2023", "2023-05-31"), ("the 1990s", "the 1990s"),
])
def test_the_same_in_other_notation_is_held(one: str, other: str) -> None:
    assert not unsupported(f"It is {one}.", f"It is {other}.")
    if "January" not in other and "2023" not in other:
        assert not unsupported(f"It is {other}.", f"It is {one}.")


@pytest.mark.parametrize(("sentence", "cited", "missing"), [
    ("5 days", "5-10 days", set()), ("5 weeks", "5-10 days", {"5 weeks"}), ("2 days", "2 or 3 days", set()),
    ("$10 million", "$5-10 million", set()), ("3%", "between 3 and 5 %", set()),
    ("It fell by 5%.", "-5%", set()), ("It rose by 5%.", "-5%", {"5%"}), ("-5%", "It fell by 5%.", set()),
    ("12 weeks", "Parents | 12\nWho | Weeks", set()), ("12 days", "Parents | 12\nWho | Weeks", {"12 days"}),
    ("2 weeks", "Parents | 14\nWho | Days", set()), ("$5 million", "Revenue (millions of USD)\n5", set()),
    ("It is the 3rd day.", "on the third day", set()), ("the 1990s", "in 1990 seconds", set()),
    ("In 1990 it began.", "in the 1990s", set()), ("tables 2 and 3", "tables 2,3 and 4", set()),
])
def test_ranges_signs_and_the_headers_of_tables(sentence: str, cited: str, missing: set[str]) -> None:
    assert unsupported(sentence, cited) == missing


@given(whole, whole)
def test_only_an_equal_number_supports(one: int, other: int) -> None:
    assert (unsupported(f"It is {one:,}.", f"exactly {other}") == set()) == (one == other)


@given(st.integers(1, 999_999), st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_a_number_is_held_with_its_own_unit_alone(value: int, one: str, other: str) -> None:
    assert (unsupported(f"It is {value} {one}.", f"It is {value} {other}.") == set()) == (one == other)


@given(st.integers(1000, 10**9), st.integers(0, 99))
def test_separators_of_all_countries_write_one_number(value: int, cents: int) -> None:
    plain, english = f"{value}.{cents:02}", f"{value:,}.{cents:02}"
    german = english.translate(str.maketrans(",.", ".,"))
    for written in (english, german, english.replace(",", "’"), english.replace(",", "\u202f")):
        assert not unsupported(f"It is {plain}.", written) and not unsupported(f"It is {written}.", plain)


@given(st.integers(1, 5000))
def test_minutes_are_hours(minutes: int) -> None:
    hours = Fraction(minutes, 60)
    if hours.denominator in (1, 2, 4, 5, 10, 20):
        assert not unsupported(f"{minutes} minutes", f"{float(hours)} hours")
    assert unsupported(f"{minutes} minutes", f"{float(hours + 1)} hours")


@given(st.text("0123456789.,' -−–$€%kMm½ abdfhilnoy", max_size=60))
def test_every_text_holds_its_own_numbers(text: str) -> None:
    assert unsupported(text, text) == set()
    for named in quantities(text):
        assert 0 <= named.start < named.end <= named.over <= len(text) and named.means


@pytest.mark.parametrize("text", ["9" * 400, "9" * 9000, "hundred " * 400, "a million " * 400, "one hundred and " * 400,
                                  "1." + "3" * 9000])
def test_numbers_beyond_all_measure_are_numbers_too(text: str) -> None:
    assert numbers(text) and not unsupported(text, text)
