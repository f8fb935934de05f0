"""What makes two labels the same, and which values none can have."""

import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from vouch.errors import BadInput
from vouch.learning.labels.label import Label

LABEL = Label(
    "When do we rotate the keys?", ("group:staff", "public"), "c1", None, 3, 2, "vote", 1.0,
    datetime(2026, 11, 23, tzinfo=UTC), "user:ana@acme.test", "a1", 1,
)  # fmt: skip


def test_spaces_and_capitals_of_a_question_do_not_count_and_its_audience_does() -> None:
    assert replace(LABEL, question="when  do WE rotate the keys? ").key == LABEL.key
    assert replace(LABEL, audience=("public",)).question_key != LABEL.question_key
    assert replace(LABEL, audience=("group:staff,public",)).question_key != LABEL.question_key


@pytest.mark.parametrize("change", [
    {"chunk_id": "c2"}, {"source": "behaviour"}, {"person": None}, {"answer_id": None}, {"question": "Who?"},
])  # fmt: skip
def test_what_it_is_about_and_whom_it_comes_from_make_its_key(change: dict[str, Any]) -> None:
    assert replace(LABEL, **change).key != LABEL.key


@pytest.mark.parametrize("change", [
    {"relevance": 0}, {"weight": 0.2}, {"version": 9}, {"text_hash": "ab"}, {"position": 4},
])  # fmt: skip
def test_what_it_says_does_not(change: dict[str, Any]) -> None:
    assert replace(LABEL, **change).key == LABEL.key


@pytest.mark.parametrize("change", [
    {"relevance": 4}, {"relevance": -1}, {"relevance": True}, {"relevance": 1.0}, {"weight": math.nan},
    {"weight": math.inf}, {"weight": -0.1}, {"audience": ()}, {"audience": ("public", "group:a")},
    {"audience": ("public", "public")}, {"source": "guess"}, {"at": datetime(2026, 11, 23)},
])  # fmt: skip
def test_impossible_values_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        replace(LABEL, **change)
