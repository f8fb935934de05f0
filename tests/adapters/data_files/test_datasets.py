"""Data sets come in whole, or not at all with the file and line that is wrong."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vouch.adapters.data_files.public import read_beir, read_openqa, read_pairs, read_squad
from vouch.errors import BadInput

OPENQA = {"question": "Who?", "golden_answers": ["Ana"], "passages": [{"title": "T", "text": "Ana", "has_answer": 1}]}
SQUAD = {"data": [{"title": "A_B", "paragraphs": [{"context": "Ana.", "qas": [
    {"question": "Who?", "is_impossible": False, "answers": [{"text": "Ana"}, {"text": "Ana"}]},
    {"question": "Why?", "is_impossible": True, "answers": []},
]}]}]}


def lines(path: Path, *rows: Any) -> Path:
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def beir(folder: Path, corpus: str = "corpus.jsonl") -> Path:
    lines(folder / corpus, {"_id": "d1", "title": "T", "text": "x"}, {"_id": "d2", "text": "y"})
    lines(folder / "queries.jsonl", {"_id": "q1", "text": "a"}, {"_id": "q2", "text": "b"})
    return folder


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_openqa_plain_and_packed(tmp_path: Path, name: str) -> None:
    (row,) = read_openqa(lines(tmp_path / name, OPENQA))
    assert (row.question, row.answers) == ("Who?", ("Ana",)) and row.passages[0].has_answer


def test_squad_keeps_what_cannot_be_answered(tmp_path: Path) -> None:
    (row,) = read_squad(lines(tmp_path / "dev.json", SQUAD))
    assert row.title == "A B" and row.questions == (("Who?", ("Ana",)), ("Why?", ()))


@pytest.mark.parametrize("corpus", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_beir_keeps_judged_queries_only(tmp_path: Path, corpus: str) -> None:
    found = read_beir(beir(tmp_path, corpus), lines(tmp_path / "q.tsv", "query-id\tcorpus-id\tscore", "q2\td2\t1"))
    assert [d.id for d in found.documents] == ["d1", "d2"]
    assert found.queries == {"q2": "b"} and found.judgements == {"q2": {"d2": 1}}


def test_pairs(tmp_path: Path) -> None:
    row = {"question": "q", "passage": "p", "label": 0}
    assert list(read_pairs(lines(tmp_path / "p.jsonl", row, ""))) == [("q", "p", False)]


@pytest.mark.parametrize(("reader", "rows", "says"), [
    (read_openqa, [OPENQA, "{"], "line 2"),
    (read_openqa, [OPENQA, "[]"], "line 2"),
    (read_openqa, [{**OPENQA, "passages": [{"title": "T", "text": "x"}]}], "has_answer"),
    (read_openqa, [{**OPENQA, "question": None}], "question"),
    (read_pairs, [{"question": "q", "passage": "p", "label": 2}], "line 1"),
    (read_squad, [{"data": [{}]}], "paragraphs"),
])
def test_what_is_wrong_is_named(tmp_path: Path, reader: Callable[[Path], Any], rows: list[Any], says: str) -> None:
    path = lines(tmp_path / "data.jsonl", *rows)
    with pytest.raises(BadInput, match=says) as caught:
        list(reader(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"{}", mtime=0)[:-4]])
def test_damaged_archives_are_bad_input(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dev.json.gz"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"dev\.json\.gz"):
        list(read_squad(path))


@pytest.mark.parametrize(("row", "says"), [
    ("q9\td1\t1", "q9"), ("q1\td9\t1", "no document"), ("q1\td1", "line 1"), ("q1\td1\tx", "line 1"), ("", "judgement"),
])
def test_judgements_must_fit_the_folder(tmp_path: Path, row: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_beir(beir(tmp_path), lines(tmp_path / "q.tsv", row))


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"queries\.jsonl"):
        lines(tmp_path / "corpus.jsonl", {"_id": "d", "text": "x"})
        read_beir(tmp_path, tmp_path / "q.tsv")
