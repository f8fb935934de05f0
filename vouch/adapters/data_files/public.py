"""Readers of public data sets: openqa_passages, SQuAD 2.0, BEIR folders. Plain or gzip, named by the ending.

Every reader raises BadInput naming the file, and the line where there is one.
"""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from vouch.broken import broken
from vouch.errors import BadInput
from vouch.learning.collections.labeled import JudgedPair, LabeledPassage, LabeledQuestion, Reading, TrainingData

LONGEST_LINE = 10_000_000               # characters, when unpacked
LARGEST_FILE = 10_000_000_000
_LARGEST_DOCUMENT = 1_000_000_000       # that is one JSON value


def read_training_data(openqa: Path, squad: Path) -> TrainingData:
    """What the evaluator is trained from."""
    return TrainingData(tuple(read_openqa(openqa)), tuple(read_squad(squad)))


def read_openqa(path: Path) -> Iterator[LabeledQuestion]:
    """JSON lines `{question, golden_answers, passages: [{title, text, has_answer}]}`."""
    for where, row in json_rows(path):
        with reading(where):
            yield LabeledQuestion(
                text_of(row, "question"),
                tuple(str(answer) for answer in row["golden_answers"]),
                tuple(
                    LabeledPassage(text_of(p, "title"), text_of(p, "text"), _flag(p, "has_answer"))
                    for p in row["passages"]
                ),
            )


def read_squad(path: Path) -> Iterator[Reading]:
    """The official SQuAD 2.0 JSON, paragraph by paragraph."""
    with reading(str(path)):
        with _open(path) as file:
            document = json.loads(_whole(file))
        for article in document["data"]:
            for paragraph in article["paragraphs"]:
                yield Reading(
                    text_of(article, "title").replace("_", " "),
                    text_of(paragraph, "context"),
                    tuple(
                        (text_of(q, "question"), () if q.get("is_impossible") else tuple(_texts(q["answers"])))
                        for q in paragraph["qas"]
                    ),
                )


def read_pairs(path: Path) -> Iterator[tuple[str, str, bool]]:
    """JSON lines `{question, passage, label}` with label 0 or 1, as (question, passage, label)."""
    for where, row in json_rows(path):
        with reading(where):
            yield text_of(row, "question"), text_of(row, "passage"), _flag(row, "label")


def read_pair_groups(path: Path, name: str) -> dict[tuple[str, str], str]:
    """What the field `name` of such lines holds, by (question, passage), where it holds something."""
    return {(text_of(row, "question"), text_of(row, "passage")): str(row[name])
            for where, row in json_rows(path) if row.get(name) is not None}


_NAMES = ("title", "group", "pair")


def read_judged_pairs(path: Path) -> Iterator[JudgedPair]:
    """JSON lines `{question, passage, label}`, and where they are known `title`, `group`, `pair` and `answer`."""
    for where, row in json_rows(path):
        with reading(where):
            title, group, twin = ("" if (given := row.get(name)) is None else str(given) for name in _NAMES)
            passage = text_of(row, "passage")
            yield JudgedPair(text_of(row, "question"), passage, _flag(row, "label"), title, group, twin,
                             _place(row.get("answer"), passage))


def _place(given: object, passage: str) -> tuple[int, int] | None:
    """Raises BadInput unless these are two places in the passage, in order."""
    if given is None:
        return None
    match given:
        case [int(first), int(last)] if 0 <= first < last <= len(passage):
            return first, last
    raise BadInput("`answer` is not the first character of words in the passage and the one behind them",
                   cure="give two numbers, such as [0, 12], or leave it out")


@dataclass(frozen=True)
class BeirDocument:
    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Beir:
    """`judgements`: query id → document id → relevance; every judged query is in `queries`, in file order."""

    documents: tuple[BeirDocument, ...]
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]


def read_beir(folder: Path, qrels: Path) -> Beir:
    """A BEIR folder: corpus.jsonl[.gz], queries.jsonl[.gz], and tab-separated `query-id corpus-id score`."""
    documents = []
    for where, row in json_rows(_either(folder, "corpus.jsonl")):
        with reading(where):
            documents.append(BeirDocument(text_of(row, "_id"), str(row.get("title") or ""), text_of(row, "text")))
    texts: dict[str, str] = {}
    for where, row in json_rows(_either(folder, "queries.jsonl")):
        with reading(where):
            texts[text_of(row, "_id")] = text_of(row, "text")
    judgements = _judgements(qrels)
    lost = next((query for query in judgements if query not in texts), None)
    if lost is not None:
        raise BadInput(f"{qrels} judges query {lost}, not in {folder}", cure="give the qrels of this folder")
    known = {document.id for document in documents}
    if not any(known & set(judged) for judged in judgements.values()):
        raise BadInput(f"{qrels} judges no document of {folder}", cure="give the qrels of this folder")
    return Beir(tuple(documents), {q: text for q, text in texts.items() if q in judgements}, judgements)


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    with reading(str(path)), _open(path) as file:
        for number, row in enumerate(csv.reader(bounded_lines(file), delimiter="\t", quoting=csv.QUOTE_NONE), 1):
            if not row or (number == 1 and row[0] == "query-id"):
                continue
            with reading(f"{path}, line {number}"):
                query, document, score = row
                judgements.setdefault(query, {})[document] = int(score)
    if not judgements:
        raise BadInput(f"{path} holds no judgement", cure="give a file of query-id, corpus-id, score")
    return judgements


_LAYOUTS = "docs/models/evaluator.md describes the layout of every data set"


@contextmanager
def reading(where: str, cure: str = _LAYOUTS) -> Iterator[None]:
    """Turns what goes wrong inside into BadInput that names the place."""
    try:
        yield
    except KeyError as error:
        raise BadInput(f"{where}: {error.args[0]!r} is missing", cure=cure) from error
    except RecursionError as error:
        raise BadInput(f"{where} cannot be read: too many values within one another", cure=cure) from error
    except (OSError, EOFError, ValueError, TypeError, AttributeError, OverflowError) as error:
        why = broken(error) or (isinstance(error, OSError) and error.strerror) or error
        raise BadInput(f"{where} cannot be read: {why}", cure=cure) from error


def json_rows(
    path: Path, most: int = LARGEST_FILE, cure: str = _LAYOUTS
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line that is not empty: where it stands, and its object. Raises BadInput, also past `most` characters."""
    with reading(str(path), cure), _open(path) as file:
        for number, line in enumerate(bounded_lines(file, most), 1):
            if line.strip():
                with reading(f"{path}, line {number}", cure):
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise ValueError("not a JSON object")
                yield f"{path}, line {number}", row


def bounded_lines(file: TextIO, most: int = LARGEST_FILE) -> Iterator[str]:
    """The lines, without reading on for ever where none ends. Raises ValueError where one, or all, are too long."""
    number = held = 0
    while line := file.readline(LONGEST_LINE + 1):
        number, held = number + 1, held + len(line)
        if len(line) > LONGEST_LINE:
            raise ValueError(f"line {number} is longer than {LONGEST_LINE:,} characters")
        if held > most:
            raise ValueError(f"it holds more than {most:,} characters")
        yield line


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _whole(file: TextIO) -> str:
    text = file.read(_LARGEST_DOCUMENT + 1)
    if len(text) > _LARGEST_DOCUMENT:
        raise ValueError(f"it holds more than {_LARGEST_DOCUMENT:,} characters")
    return text


def _either(folder: Path, name: str) -> Path:
    packed = folder / f"{name}.gz"
    return packed if packed.exists() and not (folder / name).exists() else folder / name


def text_of(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    if not isinstance(value, str):
        raise TypeError(f"{name!r} is not text")
    return value


def _texts(answers: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(text_of(answer, "text") for answer in answers))


def _flag(row: Mapping[str, Any], name: str) -> bool:
    value = row[name]
    if value not in (0, 1):
        raise ValueError(f"{name!r} is {value!r}, not 0 or 1")
    return bool(value)
