"""Reading a model's reply: its JSON, and its quotes found again in the evidence."""

import json

import pytest
from homes.small_world import evidence
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.prompting.replies import draft_sentences, find_quote, last_object, read_reply

GOOD = {"sentences": [{"text": "A.", "citations": [{"passage": 1, "quote": "a"}]}], "reason": ""}


@pytest.mark.parametrize("content", [
    json.dumps(GOOD), f"```json\n{json.dumps(GOOD)}\n```", f"Here you are: {json.dumps(GOOD)} Ask me more!",
])
def test_json_is_found_in_its_surroundings(content: str) -> None:
    reply = read_reply(content)
    assert reply is not None and reply.sentences[0].citations[0].quote == "a"


def test_of_an_array_no_object_is_the_one_that_was_asked_for() -> None:
    assert last_object('Well: {"a": 1} {"b": 2}') == '{"b": 2}'
    for content in ('[{"a": 1}, {"b": 2}]', '```json\n[{"a": 1}]\n```'):
        assert last_object(content) == content


@pytest.mark.parametrize("content", [
    "", "no", "{", '{"sentences": "x"}', '{"sentences": [{"text": 1, "citations": []}]}', "[]", "null",
    '{"sentences": [{"text": "x", "citations": [{"passage": "1", "quote": "x"}]}]}',
])
def test_what_is_not_the_asked_form_is_no_reply(content: str) -> None:
    assert read_reply(content) is None


TEXT = "Parents get **12 weeks** of\npaid leave — it’s [generous](https://x.example)."


@pytest.mark.parametrize(("quote", "found"), [
    ("Parents get", "Parents get"),
    ("parents get 12 weeks of paid leave", "Parents get **12 weeks** of\npaid leave"),
    ("leave - it's generous", "leave — it’s [generous"),
    (" of\npaid ", "of\npaid"),
    ("Parents got", None), ("13 weeks", None), ("", None), ("…", None), ("**", "**"),
])
def test_quotes_are_found_but_for_spacing_signs_and_marks(quote: str, found: str | None) -> None:
    place = find_quote(TEXT, quote)
    assert (TEXT[place[0] : place[1]] if place else None) == found


@given(st.text(max_size=60), st.data())
def test_an_exact_piece_is_always_found_as_itself(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    piece = text[start:end].strip()
    place = find_quote(text, text[start:end])
    assert (place is None and not piece) or (place is not None and text[place[0] : place[1]] == piece)


def test_what_cannot_be_found_is_left_out_with_a_warning() -> None:
    reply = read_reply(json.dumps({"sentences": [
        {"text": "Good.", "citations": [{"passage": 1, "quote": "weeks"}, {"passage": 1, "quote": "unicorns"}]},
        {"text": "Invented.", "citations": [{"passage": 9, "quote": "weeks"}]},
        {"text": "Bare.", "citations": []},
    ]}))
    assert reply is not None
    sentences, warnings = draft_sentences(reply, evidence("12 weeks"))
    assert [s.text for s in sentences] == ["Good."] and sentences[0].quotes == ((1, 3, 8),)
    assert len(warnings) == 4 and "passage 9" in " ".join(warnings)


def test_a_reply_far_longer_than_any_that_was_asked_for_is_not_looked_at() -> None:
    said = '{"sentences": [], "reason": "REASON"}'
    assert read_reply(said) is not None
    assert read_reply(said.replace("REASON", "x" * 60_000)) is None
