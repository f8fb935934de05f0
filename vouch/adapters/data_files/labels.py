"""Labels as files, read and written: JSON lines, or TREC qrels with the questions of their topics.

A file is read whole or refused: BadInput names the line.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median_low
from typing import Any

from vouch.adapters.data_files.label_fields import (  # fmt: skip
    audience_of,
    chunk_of,
    hash_of,
    moment_of,
    person_of,
    question_of,
    sound,
    version_of,
    weight_of,
)
from vouch.adapters.data_files.public import bounded_lines, json_rows, reading, text_of
from vouch.adapters.filesystem.private_files import replace_private
from vouch.errors import BadInput, Usage, VouchError
from vouch.learning.labels.label import LARGEST, Label
from vouch.learning.models.model_file import check_place

MOST = 1_000_000_000                    # characters in a file
_LAYOUTS = "docs/learning/labels.md describes the files of labels and of questions"
FIELDS = frozenset({
    "question", "audience", "chunk_id", "text_hash", "version", "relevance", "source", "weight", "at", "person",
    "answer_id", "position",
})  # fmt: skip
_RELEVANCES = tuple(str(value) for value in range(LARGEST + 1))
_QRELS = re.compile(r"\S+[ \t]+\S+[ \t]+\S+[ \t]+-?[0-9]+")
Topic = tuple[str, tuple[str, ...]]
"""A question and the tags of its readers, sorted."""


def read_labels(
    path: Path, weight: float, now: datetime, stranger: Callable[[str], str] = lambda tag: ""
) -> list[Label]:  # fmt: skip
    """Judgments, a JSON object a line: `question`, `audience`, `chunk_id` and `relevance`, and what else is known.

    `weight` is that of those that say none, `now` the moment of those that say none. `stranger` says why somebody is
    not one who judges, and nothing of all others.
    """
    made: dict[str, tuple[Label, str]] = {}
    with _qrels_named(path):
        for where, row in json_rows(path, MOST, _LAYOUTS):
            with _line(where):
                label = _judgment(row, weight, now)
                if label.person is not None and (told := stranger(label.person)):
                    raise ValueError(f"'person': {told}")
                _take(made, label, where)
    return [label for label, _ in made.values()]


def read_qrels(path: Path, questions: Path, weight: float, now: datetime) -> list[Label]:
    """Lines `topic 0 chunk relevance`; `questions` says which question of which readers a topic is."""
    topics, made = read_topics(questions), dict[str, tuple[Label, str]]()
    with reading(str(path), _LAYOUTS), path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(bounded_lines(file, MOST), 1):
            if line.strip():
                with _line(where := f"{path}, line {number}"):
                    _take(made, _judged(line, topics, weight, now), where)
    return [label for label, _ in made.values()]


def read_topics(path: Path) -> dict[str, Topic]:
    """JSON lines `{id, question, audience}`, by id."""
    found: dict[str, Topic] = {}
    for where, row in json_rows(path, MOST, _LAYOUTS):
        with _line(where):
            topic = sound(text_of(row, "id"), "id")
            if topic in found:
                raise ValueError(f"the id {topic!r:.80} was there before")
            found[topic] = question_of(row), audience_of(row["audience"])
    return found


def read_questions(path: Path) -> list[Topic]:
    """JSON lines with a `question` and, where its readers are not just whoever judges, its `audience`.

    What `vouch ask --questions` reads will do: there they are called `text` and `as`.
    """
    found = []
    for where, row in json_rows(path, MOST, _LAYOUTS):
        with _line(where):
            asked = row if "question" in row or "text" not in row else {**row, "question": row["text"]}
            tags = row.get("audience", row.get("as"))
            found.append((question_of(asked), () if tags is None else audience_of(tags)))
    if not found:
        raise BadInput(f"{path} holds no question", cure='give lines of {"question": "…"}')
    return found


def _judgment(row: Mapping[str, Any], weight: float, now: datetime) -> Label:
    if strange := sorted(row.keys() - FIELDS):
        raise ValueError(f"unknown fields {', '.join(strange)}")
    if row.get("source", "judged") != "judged":
        raise ValueError("only judgments are taken; other labels are made by vouch label collect")
    return Label(
        question_of(row), audience_of(row["audience"]), chunk_of(row["chunk_id"]), hash_of(row.get("text_hash")),
        version_of(row.get("version", 0)), row["relevance"], "judged", weight_of(row.get("weight", weight)),
        moment_of(row.get("at"), now), person_of(row.get("person")),
    )  # fmt: skip


def _judged(line: str, topics: Mapping[str, Topic], weight: float, now: datetime) -> Label:
    fields = line.split()
    if len(fields) != 4:
        raise ValueError("not four fields: topic, 0, chunk and relevance")
    topic, _, chunk, relevance = fields
    if topic not in topics:
        raise ValueError(f"the file of questions has no id {topic!r:.80}")
    if relevance not in _RELEVANCES:
        raise ValueError(f"the relevance {relevance!r:.20} is none of {', '.join(_RELEVANCES)}")
    return Label(*topics[topic], chunk_of(chunk), None, 0, int(relevance), "judged", weight, now)


def _take(made: dict[str, tuple[Label, str]], label: Label, where: str) -> None:
    """A line that is there twice counts once."""
    former, place = made.setdefault(label.key, (label, where))
    if former != label:
        earlier = place.rpartition("line ")[2]
        raise ValueError(f"line {earlier} judges the same passage for the same question in another way")


@contextmanager
def _qrels_named(path: Path) -> Iterator[None]:
    """Qrels where JSON lines are expected are told as what they are."""
    try:
        yield
    except BadInput as error:
        broken = error.__cause__
        if isinstance(broken, json.JSONDecodeError) and _QRELS.fullmatch(broken.doc.strip()):
            cure = f"vouch label import {path} --format qrels --questions TOPICS"
            raise BadInput(f"{error.cause}; it looks like qrels", cure=cure) from broken
        raise


@contextmanager
def _line(where: str) -> Iterator[None]:
    """Whatever is wrong inside is BadInput that names the line."""
    try:
        with reading(where, _LAYOUTS):
            yield
    except VouchError as error:
        if error.cause.startswith(where):
            raise
        raise BadInput(f"{where}: {error.cause}", cure=error.cure) from error


def write_labels(labels: Iterable[Label], path: Path) -> int:
    """How many lines there are. The file is written whole, or what was there is left."""
    return _write(path, [json.dumps(row, ensure_ascii=False) for row in map(row_of, labels)])


def write_qrels(labels: Iterable[Label], path: Path, questions: Path) -> int:
    """A line for each question and passage, and the questions of the topics; neither, if one cannot be written."""
    if path == questions:
        raise Usage("qrels and questions cannot be one file", cure="name another file for the questions")
    lines, topics = qrels_of(labels)
    check_place(path)
    check_place(questions)
    write_topics(topics, questions)
    return _write(path, lines)


def write_topics(topics: Iterable[Mapping[str, Any]], path: Path) -> int:
    """How many there are."""
    return _write(path, [json.dumps(topic, ensure_ascii=False) for topic in topics])


def qrels_of(labels: Iterable[Label]) -> tuple[list[str], list[dict[str, Any]]]:
    """Lines with the lower median of what was judged, and the topics: a topic is a question's key."""
    judged: dict[tuple[str, str], list[int]] = {}
    topics: dict[str, dict[str, Any]] = {}
    for label in labels:
        judged.setdefault((label.question_key, label.chunk_id), []).append(label.relevance)
        topics[label.question_key] = {
            "id": label.question_key, "question": label.question, "audience": list(label.audience),
        }  # fmt: skip
    lines = [f"{key} 0 {chunk} {median_low(values)}" for (key, chunk), values in sorted(judged.items())]
    return lines, [topics[key] for key in sorted(topics)]


def row_of(label: Label) -> dict[str, Any]:
    """As a line of the file holds it."""
    row = {name: getattr(label, name) for name in sorted(FIELDS)}
    return {**row, "audience": list(label.audience), "at": label.at.isoformat()}


def _write(path: Path, lines: list[str]) -> int:
    """Readable for its owner alone: it holds what people asked."""
    check_place(path)
    try:
        replace_private(path, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise Usage(f"{path} cannot be written: {error.strerror}", cure="name another file") from error
    return len(lines)
