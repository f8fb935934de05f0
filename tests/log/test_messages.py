"""Messages come back as they were sent, and what is not one of ours is refused with a reason."""

import contextlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from vouch.errors import BadMessage
from vouch.filters import Filters
from vouch.messages import (
    LARGEST,
    TOPICS,
    AnswerReady,
    DeadLetter,
    DocumentsChanged,
    FeedbackGiven,
    Message,
    QuestionAsked,
    QuestionProgress,
    StageDone,
    TagsAudience,
    decode,
    encode,
    key_of,
    topic_of,
)

ids = st.from_regex(r"[\x21-\x7e]{1,40}", fullmatch=True)
tags = st.sampled_from(["public", "user:ana@acme.test", "group:engineering"])
moments = st.datetimes(datetime(1970, 1, 2), datetime(9998, 12, 31), timezones=st.timezones())
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=200).filter(
    str.strip
)
audiences = st.builds(TagsAudience, tags=st.lists(tags, min_size=1, max_size=4).map(tuple))
stages = st.sampled_from(["retrieve", "rerank", "evaluate", "web", "refine", "cite"])
filters = st.builds(
    Filters, sources=st.none() | st.lists(tags, max_size=3).map(tuple), paths=st.lists(tags, max_size=3).map(tuple),
    after=st.none() | st.dates(), owners=st.lists(tags.filter("public".__ne__), max_size=2).map(tuple),
)  # fmt: skip
messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(
        QuestionAsked, id=ids, text=words, surface=ids, asker=tags, audience=audiences,
        thread=st.none() | ids, asked_at=moments, deadline=st.none() | moments, filters=filters,
    ),
    st.builds(
        AnswerReady, question_id=ids, answer_id=ids, surface=ids, audience=audiences, thread=st.none() | ids,
        sent_at=moments,
    ),
    st.builds(
        FeedbackGiven, answer_id=ids, person=tags, vote=st.sampled_from(["up", "down"]), reason=st.none() | words,
        at=moments,
    ),
    st.builds(
        FeedbackGiven, answer_id=ids, person=tags, vote=st.just("down"), at=moments,
        category=st.sampled_from(["wrong", "outdated", "not_asked", "not_allowed", "other"]),
    ),
    st.builds(
        QuestionProgress, question_id=ids, surface=ids, begun_at=moments, number=st.integers(1, 99),
        stage=st.none() | stages,
        done=st.lists(st.builds(StageDone, stage=stages, count=st.none() | st.integers(0, 99), ms=st.integers(0, 9)),
                      max_size=6).map(tuple),
    ),
    st.builds(DocumentsChanged, source=words, paths=st.none() | st.lists(words, max_size=5).map(tuple), at=moments),
)  # fmt: skip

QUESTION: dict[str, Any] = {
    "schema": 1, "type": "QuestionAsked", "id": "q1", "text": "Who?", "surface": "terminal", "asker": "public",
    "audience": {"kind": "tags", "tags": ["public"]}, "thread": None, "asked_at": "2026-11-21T10:00:00Z",
    "deadline": None, "outside": True,
}  # fmt: skip


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(messages)
def test_every_message_comes_back_equal_on_its_topic_and_on_no_other(message: Message) -> None:
    data, topic = encode(message), topic_of(message)
    assert decode(topic, data) == decode(f"{topic}.dead", data) == message
    assert key_of(message)
    for other in set(TOPICS) - {topic}:
        with pytest.raises(BadMessage):
            decode(other, data)


def test_the_form_on_the_log_is_the_documented_one() -> None:
    message = decode("questions", json.dumps(QUESTION).encode())
    assert json.loads(encode(message)) == QUESTION


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2}, {"schema": "1"}, {"schema": True}, {"schema": 1.0}, {"schema": None}, {"type": "AnswerReady"},
        {"type": None}, {"type": ["QuestionAsked"]}, {"id": ""}, {"id": "a b"}, {"id": 5}, {"id": "x" * 201},
        {"text": "  \n"}, {"text": "x" * 4001}, {"text": "a\x00b"}, {"text": None}, {"asker": "ana"},
        {"asker": "user:"}, {"audience": None}, {"audience": {"kind": "tags", "tags": []}},
        {"audience": {"kind": "everybody"}}, {"audience": {"kind": "tags", "tags": ["*"]}},
        {"audience": {"kind": "channel", "channel": "C1"}}, {"asked_at": "2026-11-21T10:00:00"}, {"asked_at": 5},
        {"asked_at": "yesterday"}, {"deadline": False}, {"role": "admin"}, {"asked_at": "0001-01-01T00:00:00+23:59"},
        {"asked_at": "9999-12-31T23:59:59-23:59"}, {"asked_at": "1969-12-31T00:00:00Z"},
        {"deadline": "9999-01-01T00:00:00Z"}, {"asker": "user:a\x00b"}, {"asker": "group:\ud800"},
    ],
)  # fmt: skip
def test_a_message_that_is_wrong_anywhere_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadMessage):
        decode("questions", json.dumps(QUESTION | change).encode())


@pytest.mark.parametrize(
    "missing", [name for name in QUESTION if name not in ("thread", "deadline", "outside")]
)
def test_a_message_that_lacks_something_is_refused(missing: str) -> None:
    with pytest.raises(BadMessage):
        decode("questions", json.dumps({k: v for k, v in QUESTION.items() if k != missing}).encode())


@pytest.mark.parametrize("change", [{"category": "rude"}, {"category": ""}, {"vote": "up"}, {"category": 1}])
def test_a_category_is_one_of_a_vote_down(change: dict[str, Any]) -> None:
    vote = {"schema": 1, "type": "FeedbackGiven", "answer_id": "a", "person": "public", "vote": "down",
            "category": "wrong", "at": "2026-11-21T10:00:00Z"}
    read = decode("feedback", json.dumps(vote).encode())
    assert isinstance(read, FeedbackGiven) and read.category == "wrong"
    with pytest.raises(BadMessage):
        decode("feedback", json.dumps(vote | change).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"", b"null", b"[]", b"5", b"\xff\xfe", b"{", b"[" * 100_000, b"x" * (LARGEST + 1),
        json.dumps(QUESTION).replace("Who?", "\\ud800").encode(),
        b'{"schema":1,"type":"QuestionAsked","text":' + b"[" * 900 + b"]" * 900 + b"}",
    ],
)  # fmt: skip
def test_bytes_that_are_no_message_are_refused(data: bytes) -> None:
    with pytest.raises(BadMessage):
        decode("questions", data)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([*TOPICS, "questions.dead", "unknown", ""]))
def test_no_bytes_break_the_reader(data: bytes, topic: str) -> None:
    with pytest.raises(BadMessage):
        decode(topic, data)


@settings(max_examples=200, deadline=None)
@given(st.datetimes(), st.integers(-1439, 1439), st.sampled_from(["asked_at", "deadline"]))
def test_no_moment_of_the_calendar_breaks_the_reader(moment: datetime, offset: int, field: str) -> None:
    moment = moment.replace(tzinfo=timezone(timedelta(minutes=offset)))
    with contextlib.suppress(BadMessage):
        read = decode("questions", json.dumps(QUESTION | {field: moment.isoformat()}).encode())
        assert getattr(read, field) == moment
        assert getattr(read, field) - timedelta(days=1) < getattr(read, field) + timedelta(days=1)


@pytest.mark.parametrize("text", ["pay \udcff", "\ud800"])
def test_words_that_no_message_can_carry_are_refused_when_it_is_made(text: str) -> None:
    with pytest.raises(ValidationError):
        QuestionAsked(id="q", text=text, surface="terminal", asker="public", audience=TagsAudience(tags=("public",)),
                      asked_at=datetime.now(UTC))
    with pytest.raises(ValidationError):
        DocumentsChanged(source="s", paths=(text,), at=datetime.now(UTC))


def test_a_reason_never_repeats_what_was_said() -> None:
    secret = "the-salary-of-ana " * 300
    with pytest.raises(BadMessage) as caught:
        decode("questions", json.dumps(QUESTION | {"text": secret, "asker": "the-salary-of-ana"}).encode())
    reason = str(caught.value)
    assert "text" in reason and "asker" in reason and "4,000" in reason
    assert "the-salary-of-ana the" not in reason


def test_a_message_past_the_limit_is_not_sent() -> None:
    message = DocumentsChanged(source="s", paths=("p" * 200_000,) * 6, at=datetime.now(UTC))
    with pytest.raises(BadMessage):
        encode(message)


def test_messages_are_checked_when_they_are_made_and_do_not_change() -> None:
    with pytest.raises(ValidationError):
        FeedbackGiven(answer_id="a", person="ana", vote="up", at=datetime.now(UTC))
    message = FeedbackGiven(answer_id="a", person="public", vote="up", at=datetime.now(UTC))
    with pytest.raises(ValidationError):
        message.vote = "down"


def test_a_dead_letter_comes_back_from_its_headers_beside_others() -> None:
    letter = DeadLetter("questions", 3, 17, "reason: é", "BadMessage", 5, "2026-01-01T00:00:00+00:00", "2026-01-02")
    assert DeadLetter.read([("trace", b"\xff"), *letter.headers()]) == letter
    odd = replace(letter, reason="no file a\udcff.md")         # as an error may name a file
    assert DeadLetter.read(odd.headers()).reason == "no file a\\udcff.md"
    with pytest.raises(BadMessage):
        DeadLetter.read([("trace", b"1")])


def test_the_examples_in_the_documentation_are_messages() -> None:
    text = (Path(__file__).parents[2] / "docs" / "messages.md").read_text()
    examples = [example.encode() for example in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]
    kinds = {kind.__name__: topic for topic, kind in TOPICS.items()}
    shown = {type(decode(kinds[json.loads(example)["type"]], example)) for example in examples}
    assert shown == set(TOPICS.values())
    assert all(f"`{topic}` | {kind.__name__}" in text for topic, kind in TOPICS.items())
    assert all(f"`{name}`" in text for name, _ in DeadLetter("", 0, 0, "", "", 0, "", "").headers())
