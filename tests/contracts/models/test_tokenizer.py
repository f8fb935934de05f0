"""What every tokenizer promises: the Tokenizer port."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.ports.ingestion import Tokenizer

MACHINES: dict[str, Tokenizer] = {"minilm": load_tokenizer()}


@pytest.mark.parametrize("name", MACHINES)
@given(text=st.text())
def test_spans_are_ranges_of_the_text_in_order(name: str, text: str) -> None:
    spans = MACHINES[name].spans(text)
    assert spans == sorted(spans) and all(0 <= start <= end <= len(text) for start, end in spans)


@pytest.mark.parametrize("name", MACHINES)
@given(st.lists(st.sampled_from(["leave", "Überstunden", "東京", "a-b", "2024", "🙂"]), max_size=30))
def test_every_letter_and_digit_lies_in_a_span(name: str, parts: list[str]) -> None:
    text = " ".join(parts)
    covered = {i for start, end in MACHINES[name].spans(text) for i in range(start, end)}
    assert {i for i, char in enumerate(text) if char.isalnum()} <= covered


@pytest.mark.parametrize("name", MACHINES)
def test_there_is_room_for_a_passage(name: str) -> None:
    assert MACHINES[name].limit >= 64
    assert MACHINES[name].spans("") == []


@pytest.mark.parametrize("name", MACHINES)
@given(text=st.text() | st.lists(st.sampled_from(
    ["leave", "Überstunden", "東京x", "a-b", "[SEP]", "##s", "\u0301e", "\x1c", "\u00a0", "\n", "\u200d", "ﬁ", "Σ",
     "x" * 130, ""]
)).map(" ".join))
def test_a_count_is_that_of_the_spans(name: str, text: str) -> None:
    assert MACHINES[name].count(text) == len(MACHINES[name].spans(text))
    assert MACHINES[name].count(text) == len(MACHINES[name].spans(text))        # also of what was seen before
