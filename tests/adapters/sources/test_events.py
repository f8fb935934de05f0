import gzip
import json
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from homes.scans import apply, brief, sha
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.adapters.sources.events.source import EventsSource
from vouch.documents.document import Change
from vouch.errors import BadInput, Unavailable, Unreadable
from vouch.ports.ingestion import Scan

Row = dict[str, Any]


def row(op: str, path: str, text: str | None = None, commit: str = "c", **more: Any) -> Row:
    return {"op": op, "path": path, "commit": commit, "seq": 0} | ({} if text is None else {"text": text}) | more


def store(path: Path, rows: Iterable[Row]) -> Path:
    data = "".join(json.dumps(r) + "\n" for r in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def source(path: Path, most: int = 100_000) -> EventsSource:
    return EventsSource("history", path, most)


def fold(tmp_path: Path, rows: Sequence[Row], known: dict[str, str] | None = None) -> Scan:
    return source(store(tmp_path / "events.jsonl", rows)).scan(known or {}, {})


def replay(rows: Iterable[Row], state: dict[str, str] | None = None) -> dict[str, str]:
    """What the events say, taken one by one; the oracle of the fold."""
    now = dict(state or {})
    for r in rows:
        if r["op"] == "delete":
            now.pop(r["path"], None)
            continue
        moved = now.pop(r["old_path"], None) if r["op"] == "rename" else None
        digest = moved if r.get("text") is None else sha(r["text"])
        if digest is not None and r["path"].endswith((".md", ".txt")):
            now[r["path"]] = digest
    return now


A, B = sha("A"), sha("B")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row("add", "n.md", "N"), row("delete", "n.md")], []),
        ([row("modify", "a.md", "X"), row("modify", "a.md", "A")], []),
        ([row("delete", "a.md"), row("add", "a.md", "A")], []),
        ([row("rename", "c.md", "A", old_path="a.md")], [("rename", "c.md", "a.md")]),
        ([row("rename", "c.md", old_path="a.md")], [("rename", "c.md", "a.md")]),
        ([row("rename", "c.md", "C", old_path="a.md")], [("upsert", "c.md", "a.md")]),
        ([row("rename", "c.md", "A", old_path="a.md"), row("modify", "c.md", "C")], [("upsert", "c.md", "a.md")]),
        ([row("modify", "a.md", "C"), row("rename", "c.md", "C", old_path="a.md")], [("upsert", "c.md", "a.md")]),
        (
            [row("rename", "c.md", old_path="a.md"), row("rename", "d.md", old_path="c.md")],
            [("rename", "d.md", "a.md")],
        ),
        ([row("rename", "c.md", old_path="a.md"), row("rename", "a.md", old_path="c.md")], []),
        ([row("rename", "c.md", old_path="a.md"), row("delete", "c.md")], [("remove", "a.md", None)]),
        ([row("rename", "b.md", "A", old_path="a.md")], [("remove", "a.md", None), ("upsert", "b.md", None)]),
        (
            [row("rename", "c.md", old_path="a.md"), row("add", "a.md", "Z")],
            [("upsert", "a.md", None), ("upsert", "c.md", None)],
        ),
        (
            [row("rename", "t.md", old_path="a.md"), row("rename", "a.md", old_path="b.md"),
             row("rename", "b.md", old_path="t.md")],
            [("upsert", "a.md", None), ("upsert", "b.md", None)],
        ),
        ([row("delete", "never.md")], []),
        ([row("rename", "a.dat", "A", old_path="a.md")], [("remove", "a.md", None)]),
    ],
)  # fmt: skip
def test_events_fold_into_net_changes(tmp_path: Path, rows: list[Row], expected: list[Any]) -> None:
    scan = fold(tmp_path, rows, {"a.md": A, "b.md": B})
    assert brief(scan) == expected


def test_a_rename_from_nowhere_without_text_is_reported(tmp_path: Path) -> None:
    scan = fold(tmp_path, [row("rename", "new.md", old_path="never.md"), row("rename", "b.md", "B", old_path="x.md")])
    assert brief(scan) == [("upsert", "b.md", None)]
    assert [(s.path, "never.md" in s.reason) for s in scan.skipped] == [("new.md", True)]


PATHS = st.sampled_from(["a.md", "b.md", "d/c.md", "e.txt", "f.dat"])
TEXTS = st.sampled_from(["A", "B", "C"])
EVENT = st.one_of(
    st.builds(row, st.sampled_from(["snapshot", "add", "modify"]), PATHS, TEXTS, st.sampled_from("xyz")),
    st.builds(row, st.just("delete"), PATHS, st.none(), st.sampled_from("xyz")),
    st.builds(lambda p, t, c, o: row("rename", p, t, c, old_path=o), PATHS, st.one_of(st.none(), TEXTS),
              st.sampled_from("xyz"), PATHS),
)  # fmt: skip
KNOWN = st.dictionaries(st.sampled_from(["a.md", "b.md", "e.txt"]), st.sampled_from([A, B]))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(EVENT, max_size=25), KNOWN, st.integers(1, 6), st.integers(0, 30))
def test_any_steps_end_where_a_plain_replay_ends(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], known: dict[str, str], step: int, until: int
) -> None:
    path = store(tmp_path_factory.getbasetemp() / "events.jsonl.gz", rows)
    events = source(path)
    assert apply(known, events.scan(known, {}).changes) == replay(rows, known)
    state, cursor, done, more = known, dict[str, Any](), 0, True
    while more:
        scan = events.scan(state, cursor, step=step, until=until)
        state, cursor, more = apply(state, scan.changes), dict(scan.cursor), scan.more
        end = cursor["events"]
        assert end - done >= min(step, min(until, len(rows)) - done)
        assert end in (len(rows), until) or rows[end]["commit"] != rows[end - 1]["commit"]
        done = end
    assert done == min(until, len(rows))
    assert state == replay(rows[:until], known)


def test_events_of_one_commit_stay_together_unless_until_says_otherwise(tmp_path: Path) -> None:
    rows = [row("add", f"{n}.md", str(n), commit=c) for n, c in enumerate("aaabbc")]
    events = source(store(tmp_path / "e.jsonl", rows))
    assert events.scan({}, {}, step=1).cursor["events"] == 3
    assert events.scan({}, {}, step=4).cursor["events"] == 5
    first = events.scan({}, {}, step=1, until=2)
    assert (first.cursor["events"], first.more) == (2, False)
    assert events.scan({}, first.cursor, step=1).cursor["events"] == 3
    assert events.scan({}, {"events": 3}, until=1).cursor["events"] == 3


def test_load_gives_text_date_and_hash(tmp_path: Path) -> None:
    text = "é" * 10
    rows = [row("add", "a.md", text, date="2021-05-03T17:13:34-05:00"), row("add", "b.md", "x" * 101, date="")]
    path = store(tmp_path / "e.jsonl.gz", rows)
    changes = {c.path: c for c in source(path).scan({}, {}).changes}
    events = source(path, most=100)
    content = events.load(changes["a.md"])
    assert (content.data, content.hash) == (text.encode(), sha(text))
    assert content.changed_at is not None and content.changed_at.isoformat() == "2021-05-03T22:13:34+00:00"
    with pytest.raises(Unreadable, match="larger"):
        events.load(changes["b.md"])
    with pytest.raises(Unavailable, match="no longer holds"):       # the file is another one: not this document's fault
        events.load(Change("upsert", "c.md", sha("never written")))


def test_a_file_that_grows_is_followed(tmp_path: Path) -> None:
    rows = [row("add", "a.md", "A")]
    events = source(store(tmp_path / "e.jsonl", rows))
    first = events.scan({}, {})
    store(tmp_path / "e.jsonl", [*rows, row("add", "b.md", "B")])
    second = events.scan({"a.md": A}, first.cursor)
    assert (brief(second), second.unchanged) == ([("upsert", "b.md", None)], 1)


@pytest.mark.parametrize("rows", [[row("add", "a.md", "A")], [row("add", "x.md", "A"), row("add", "b.md", "B")]])
def test_a_file_that_was_replaced_is_refused(tmp_path: Path, rows: list[Row]) -> None:
    path = store(tmp_path / "e.jsonl", [row("add", "a.md", "A"), row("add", "b.md", "B")])
    cursor = source(path).scan({}, {}).cursor
    with pytest.raises(BadInput, match="was replaced") as caught:
        source(store(path, rows)).scan({"a.md": A}, cursor)
    assert caught.value.cure


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "", '{"op": "add", "path": "a.md"}', '{"op": "paint", "path": "a.md"}', '{"op": "delete"}',
     '{"op": "rename", "path": "a.md", "text": "x"}', '{"op": "add", "path": "../a.md", "text": "x"}',
     '{"op": "add", "path": "/a.md", "text": "x"}', '{"op": "add", "path": "p//a.md", "text": "x"}',
     '{"op": "add", "path": "a.md", "text": 5}', '{"op": "add", "path": "a.md", "text": "\\ud800"}',
     '{"op": "add", "path": "\\ud800.md", "text": "x"}', '{"op": "add", "path": "a.md", "text": "x", "date": "May"}',
     "[" * 100_000, "\xff"],
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    good = json.dumps(row("add", "a.md", "A"))
    path = tmp_path / "e.jsonl"
    path.write_bytes(f"{good}\n{line}\n{good}\n".encode("latin-1"))
    with pytest.raises(BadInput, match="line 2"):
        source(path).scan({}, {})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"op": ', "not JSON at column 7"), (b"\xff", "not UTF-8 text at byte 0"),
        (b'{"op": "add", "path": "a.md", "text": "\\ud800"}', "half of a character"),
        (b'{"op": "add", "path": "a.md", "text": "x", "date": "May"}', "date is 'May', not a date and time"),
    ],
)
def test_a_bad_line_is_told_without_the_words_of_python(tmp_path: Path, line: bytes, words: str) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(BadInput) as told:
        source(path).scan({}, {})
    assert told.value.cause.startswith(f"{path}, line 1: {words}")


def test_a_broken_or_missing_file_is_an_error(tmp_path: Path) -> None:
    path = store(tmp_path / "e.jsonl.gz", [row("add", f"{n}.md", str(n)) for n in range(100)])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInput, match="is not complete gzip data: it ends too early"):
        source(path).scan({}, {})
    with pytest.raises(Unavailable):
        source(tmp_path / "gone.jsonl").scan({"a.md": A}, {})
    with pytest.raises(BadInput, match="not a file"):
        source(tmp_path).scan({}, {})


def test_an_empty_file_holds_no_documents_yet(tmp_path: Path) -> None:
    scan = source(store(tmp_path / "e.jsonl", [])).scan({}, {})
    assert (scan.changes, scan.cursor["events"], scan.more) == ((), 0, False)


@pytest.mark.data
@pytest.mark.parametrize(("name", "documents", "seconds"), [("basecamp", 16, 2), ("18f", 251, 10)])
def test_a_real_history_step_by_step_ends_in_its_last_commit(name: str, documents: int, seconds: float) -> None:
    folder = os.environ.get("VOUCH_DATA")
    if not folder:
        pytest.skip("VOUCH_DATA is not set")
    path = Path(folder) / "handbooks" / f"{name}_handbook.events.jsonl.gz"
    with gzip.open(path, "rt") as file:
        expected = replay(json.loads(line) for line in file)
    events, known, cursor, more = source(path, 10_000_000), dict[str, str](), dict[str, Any](), True
    began = time.perf_counter()
    while more:
        scan = events.scan(known, cursor, step=1)
        known, cursor, more = apply(known, scan.changes), dict(scan.cursor), scan.more
    assert time.perf_counter() - began < seconds
    assert known == expected and len(known) == documents
    assert {c.path: c.hash for c in source(path).scan({}, {}).changes} == expected
