"""Labels in files: what is written is read again, and a file with a wrong line is refused with its number."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vouch.adapters.data_files import public
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.adapters.data_files.labels import read_labels, read_qrels, read_questions, write_labels, write_qrels
from vouch.adapters.data_files.public import read_beir, read_pairs, read_squad
from vouch.errors import BadInput, Usage
from vouch.learning.labels.label import Label

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
WHOLE = {"question": "Who?", "audience": ["public"], "chunk_id": "c1", "relevance": 2}
TAGS = st.lists(
    st.sampled_from(["public", "group:staff", "user:ana@acme.test", "conversation:slack:C1"]), min_size=1, unique=True,
).map(sorted).map(tuple)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=50).filter(
    str.strip
)
LABELS = st.lists(
    st.builds(
        Label, question=TEXTS, audience=TAGS, chunk_id=st.from_regex(r"[0-9a-f]{32}", fullmatch=True),
        text_hash=st.none() | st.just("ab" * 32), version=st.integers(0, 9), relevance=st.integers(0, 3),
        source=st.just("judged"), weight=st.floats(0, 1000),
        at=st.datetimes(datetime(1971, 1, 1), NOW.replace(tzinfo=None), timezones=st.just(UTC)),
        person=st.none() | st.just("user:ana@acme.test"),
    ),
    max_size=8, unique_by=lambda label: label.key,
)  # fmt: skip


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LABELS)
def test_what_was_written_is_read_again(tmp_path: Path, labels: list[Label]) -> None:
    file = tmp_path / "labels.jsonl"
    assert write_labels(labels, file) == len(labels)
    assert read_labels(file, 1.0, NOW) == labels
    assert file.stat().st_mode & 0o077 == 0, "it holds what people asked"


def test_qrels_say_one_number_for_a_passage_and_their_topics_say_the_questions(tmp_path: Path) -> None:
    file, topics = tmp_path / "labels.qrels", tmp_path / "topics.jsonl"
    labels = [
        Label("Who?", ("public",), chunk, None, 7, relevance, "judged", 1.0, NOW, person)
        for chunk, relevance, person in [("c1", 3, "user:a"), ("c1", 1, "user:b"), ("c1", 2, "user:c"), ("c2", 0, None)]
    ]
    key = labels[0].question_key
    assert write_qrels(labels, file, topics) == 2
    assert file.read_text() == f"{key} 0 c1 2\n{key} 0 c2 0\n"
    read = read_qrels(file, topics, 0.7, NOW)
    assert [(label.question_key, label.chunk_id, label.relevance, label.weight) for label in read] == [
        (key, "c1", 2, 0.7), (key, "c2", 0, 0.7),
    ]  # fmt: skip
    with pytest.raises(Usage):
        write_qrels(labels, file, file)
    topics.unlink()
    with pytest.raises(Usage):
        write_qrels(labels, tmp_path / "no" / "folder.qrels", topics)
    assert not topics.exists(), "one of the two alone is of no use"


@pytest.mark.parametrize(("line", "why"), [
    ("{", "not JSON at column 2"), ("[]", "object"), ("5", "object"),
    (json.dumps({**WHOLE, "relevance": 4}), "relevance"),
    (json.dumps({**WHOLE, "relevance": -1}), "relevance"), (json.dumps({**WHOLE, "relevance": "2"}), "relevance"),
    (json.dumps({**WHOLE, "relevance": True}), "relevance"), (json.dumps({**WHOLE, "relevance": 1.5}), "relevance"),
    (json.dumps({**WHOLE, "question": " "}), "question"), (json.dumps({**WHOLE, "question": 5}), "question"),
    (json.dumps({**WHOLE, "question": "a\x00"}), "character"),
    (json.dumps({**WHOLE, "question": "\ud800"}), "character"),
    (json.dumps({**WHOLE, "question": "x" * 4001}), "4,000"), (json.dumps({**WHOLE, "audience": []}), "audience"),
    (json.dumps({**WHOLE, "audience": "public"}), "audience"), (json.dumps({**WHOLE, "audience": ["you"]}), "tag"),
    (json.dumps({**WHOLE, "audience": [5]}), "tag"), (json.dumps({**WHOLE, "chunk_id": "a b"}), "chunk_id"),
    (json.dumps({**WHOLE, "chunk_id": "x" * 65}), "chunk_id"), (json.dumps({**WHOLE, "weight": -1}), "weight"),
    (json.dumps({**WHOLE, "weight": True}), "weight"), ('{"question": "Who?", "audience": ["public"], "chunk_id": "c", '
     '"relevance": 1, "weight": NaN}', "weight"), (json.dumps({**WHOLE, "at": "2026-11-23T10:00:00"}), "time zone"),
    (json.dumps({**WHOLE, "at": "yesterday"}), "'yesterday', not a date and time such as"),
    (json.dumps({**WHOLE, "at": 5}), "read"),
    (json.dumps({**WHOLE, "version": -1}), "version"), (json.dumps({**WHOLE, "text_hash": "ab"}), "text_hash"),
    (json.dumps({**WHOLE, "person": "group:staff"}), "not the tag of one person"),
    (json.dumps({**WHOLE, "person": "public"}), "not the tag of one person"), ("t 0 c1 1", "--format qrels"),
    (json.dumps({**WHOLE, "person": "ana"}), "tag"), (json.dumps({**WHOLE, "role": "admin"}), "role"),
    (json.dumps({**WHOLE, "source": "vote"}), "collect"), (json.dumps({**WHOLE, "relevance": 1}), "line 1 judges"),
    (json.dumps({**WHOLE, "audience": ["conversation:slack"]}), "SURFACE"),
    (json.dumps({**WHOLE, "audience": ["conversation:slack:a b"]}), "SURFACE"),
    (json.dumps({**WHOLE, "audience": ["conversation:slack:\ud800"]}), "SURFACE"),
    (json.dumps({**WHOLE, "audience": ["conversation:slack:" + "x" * 201]}), "SURFACE"),
    (json.dumps({**WHOLE, "audience": ["conversation::C1"]}), "SURFACE"),
    (json.dumps({**WHOLE, "audience": ["user:" + "x" * 296]}), "300"),
    (json.dumps({**WHOLE, "audience": ["user:a\x00b"]}), "tag"),
    (json.dumps({**WHOLE, "audience": [f"user:p{n}" for n in range(1001)]}), "1,000"),
    (json.dumps({**WHOLE, "person": "user:" + "x" * 296}), "300"), (json.dumps({**WHOLE, "person": 5}), "tag"),
    (json.dumps({**WHOLE, "person": ""}), "tag"), (json.dumps({**WHOLE, "person": "user:\ud800"}), "tag"),
    (json.dumps({**WHOLE, "weight": 1000.5}), "weight"), (json.dumps({**WHOLE, "weight": 10**400}), "read"),
    (json.dumps({**WHOLE, "weight": float("inf")}), "weight"),
    (json.dumps({**WHOLE, "at": "2026-11-23T10:00:01+00:00"}), "future"),
    (json.dumps({**WHOLE, "at": "1969-12-31T23:59:59+00:00"}), "1970"),
    (json.dumps({**WHOLE, "at": "9999-12-31T23:59:59-14:00"}), "future"),
    (json.dumps({**WHOLE, "at": "1970-01-01T00:00:00+14:00"}), "1970"),
    ("[" * 100_000, "within one another"),
    *((json.dumps({k: v for k, v in WHOLE.items() if k != name}), name) for name in WHOLE),
])  # fmt: skip
def test_a_wrong_line_is_named_with_what_is_wrong(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(f"{json.dumps(WHOLE)}\n\n{line}\n")
    with pytest.raises(BadInput, match="line 3") as told:
        read_labels(file, 1.0, NOW)
    assert why in str(told.value) and "evaluator.md" not in str(told.value)


@pytest.mark.parametrize(("line", "why"), [
    ("t 0 c1", "four fields"), ("t 0 c1 x", "'x' is none of 0, 1, 2, 3"),
    ("t 0 c1 4", "relevance"), ("t 0 c1 -1", "relevance"),
    ("other 0 c1 1", "other"), ("t 0 c0 2", "line 1 judges"), ("t 0 c1 1 run", "four fields"),
])  # fmt: skip
def test_a_wrong_line_of_qrels_is_named(tmp_path: Path, line: str, why: str) -> None:
    file, topics = tmp_path / "q.qrels", tmp_path / "topics.jsonl"
    topics.write_text(json.dumps({"id": "t", "question": "Who?", "audience": ["public"]}) + "\n")
    file.write_text(f"t 0 c0 1\n{line}\n")
    with pytest.raises(BadInput, match="line 2") as told:
        read_qrels(file, topics, 1.0, NOW)
    assert why in str(told.value)
    file.write_text("t 0 c0 1\n")
    topics.write_text(2 * (json.dumps({"id": "t", "question": "Who?", "audience": ["public"]}) + "\n"))
    with pytest.raises(BadInput, match="line 2"):
        read_qrels(file, topics, 1.0, NOW)


def test_a_mark_at_the_beginning_and_a_line_that_is_there_twice_are_no_mistakes(tmp_path: Path) -> None:
    file, topics, qrels = tmp_path / "labels.jsonl", tmp_path / "topics.jsonl", tmp_path / "q.qrels"
    file.write_text(2 * (json.dumps(WHOLE) + "\n"), encoding="utf-8-sig")
    assert [one.chunk_id for one in read_labels(file, 1.0, NOW)] == ["c1"]
    assert read_questions(file)[0] == ("Who?", ("public",))
    topics.write_text(json.dumps({"id": "t", "question": "Who?", "audience": ["public"]}), encoding="utf-8-sig")
    qrels.write_text("t 0 c0 1\nt 0 c0 1\n", encoding="utf-8-sig")
    assert [one.chunk_id for one in read_qrels(qrels, topics, 1.0, NOW)] == ["c0"]


@pytest.mark.parametrize("relevance", ["\N{FULLWIDTH DIGIT THREE}", "+2", "1_0", "02", "-0"])
def test_relevance_is_a_digit_of_qrels(tmp_path: Path, relevance: str) -> None:
    file, topics = tmp_path / "q.qrels", tmp_path / "topics.jsonl"
    topics.write_text(json.dumps({"id": "t", "question": "Who?", "audience": ["public"]}) + "\n")
    file.write_text(f"t 0 c0 {relevance}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="is none of 0, 1, 2, 3"):
        read_qrels(file, topics, 1.0, NOW)


@pytest.mark.parametrize("left", ["a draft that others may read", "a link"])
def test_what_lies_in_the_way_of_an_export_is_neither_written_nor_followed(tmp_path: Path, left: str) -> None:
    file, draft, other = tmp_path / "out.jsonl", tmp_path / ".out.jsonl.new", tmp_path / "other"
    other.write_text("precious")
    if left == "a link":
        draft.symlink_to(other)
    else:
        draft.touch()
        draft.chmod(0o666)
    write_labels([Label("Who?", ("public",), "c1", None, 7, 2, "judged", 1.0, NOW)], file)
    assert not file.is_symlink() and file.stat().st_mode & 0o777 == 0o600
    assert other.read_text() == "precious" and not draft.exists()


def endless(path: Path) -> list[Any]:
    return [*read_pairs(path)]


@pytest.mark.parametrize("read", [
    read_golden, endless, lambda path: read_labels(path, 1.0, NOW), read_questions,
    lambda path: read_qrels(path, path, 1.0, NOW),
])  # fmt: skip
def test_a_line_without_an_end_is_refused(read: Callable[[Path], Any]) -> None:
    with pytest.raises(BadInput, match="line 1 is longer than 10,000,000 characters"):
        read(Path("/dev/zero"))


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('{"question": "Who?", "answerable": false}\n' * 10)
    monkeypatch.setattr("vouch.adapters.data_files.golden_questions._MOST", 200)
    with pytest.raises(BadInput, match="more than 200 characters"):
        read_golden(file)
    monkeypatch.setattr(public, "_LARGEST_DOCUMENT", 1000)
    with pytest.raises(BadInput, match="more than 1,000 characters"):
        list(read_squad(Path("/dev/zero")))


def test_qrels_of_a_data_set_without_an_end_are_refused(tmp_path: Path) -> None:
    for name in ("corpus.jsonl", "queries.jsonl"):
        (tmp_path / name).write_text('{"_id": "1", "text": "a"}\n')
    with pytest.raises(BadInput, match="longer than"):
        read_beir(tmp_path, Path("/dev/zero"))
