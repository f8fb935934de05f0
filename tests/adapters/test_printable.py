"""Signs that steer a terminal are shown, and JSON with them is read as it was written."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.printable import json_line, printable

STEERING = st.sampled_from(["\x1b]0;t\x07", "\x1b[2J", "\x9b2J", "\x90q\x9c",
                             "\u202e", "\u2066", "\u200b", "\ufeff", "\x7f",
                            "\r", "\b", "\u2028", "\U000e0041", "\ud800", "\x85", "\t", "\r\n"])
WORDS = st.lists(st.one_of(st.text(), STEERING)).map("".join)


def steers(text: str) -> list[str]:
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")]


@given(WORDS)
def test_nothing_that_steers_is_left_and_other_words_stay(text: str) -> None:
    shown = printable(text)
    assert steers(shown) == [] and shown.count("\n") == text.count("\n")
    assert [c for c in text if c.isalnum()] == [c for c in shown if c.isalnum()] or steers(text)


@given(WORDS)
def test_json_has_none_either_and_means_the_same(text: str) -> None:
    line = json_line({"text": text, text: 1})
    assert steers(line) == [] and "\n" not in line
    assert json.loads(line) == {"text": text, text: 1}


@pytest.mark.parametrize(("text", "shown"), [
    ("\x1b[31mred", "\\x1b[31mred"), ("a\u202eb", "a\\u202eb"), ("in\u00adfor", "infor"), ("a\tb", "a    b"),
    ("Zürich, 中文, “quotes” — 😀", "Zürich, 中文, “quotes” — 😀"), ("a\r\nb", "a\nb"),
])
def test_how_they_are_shown(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_number_that_json_lacks_is_null() -> None:
    row = {"a": [float("inf"), 1.5, {"b": float("nan")}], "c": (-float("inf"), 2)}
    assert json.loads(json_line(row), parse_constant=pytest.fail) == {"a": [None, 1.5, {"b": None}], "c": [None, 2]}
