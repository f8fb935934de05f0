"""Labels as files: JSON lines, and TREC qrels with the file of questions that their topics stand for.

A file is read whole or refused: BadInput names the line.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vouch.access import parse_tag
from vouch.adapters.datasets import bounded_lines, json_rows, reading, text_of
from vouch.errors import BadInput, VouchError
from vouch.learning.labels.label import CONVERSATION, Label

MOST = 1_000_000_000                    # characters in a file
LONGEST_QUESTION = 4000
_CHUNK = re.compile(r"[\x21-\x7e]{1,64}")
_HASH = re.compile(r"[0-9a-f]{64}")
FIELDS = frozenset({
    "question", "audience", "chunk_id", "text_hash", "version", "relevance", "source", "weight", "at", "person",
    "answer_id", "position",
})  # fmt: skip
Topic = tuple[str, tuple[str, ...]]
"""A question and the tags of its readers, sorted."""


def read_labels(path: Path, weight: float, now: datetime) -> list[Label]:
    """Judgments, a JSON object a line: `question`, `audience`, `chunk_id` and `relevance`, and what else is known.

    `weight` is that of those that say none, `now` the moment of those that say none.
    """
    made: dict[str, Label] = {}
    for where, row in json_rows(path, MOST):
        with _line(where):
            _take(made, _judgment(row, weight, now))
    return list(made.values())


def read_qrels(path: Path, questions: Path, weight: float, now: datetime) -> list[Label]:
    """Lines `topic 0 chunk relevance`; `questions` says which question of which readers a topic is."""
    topics, made = read_topics(questions), dict[str, Label]()
    with reading(str(path)), path.open(encoding="utf-8") as file:
        for number, line in enumerate(bounded_lines(file, MOST), 1):
            if line.strip():
                with _line(f"{path}, line {number}"):
                    _take(made, _judged(line, topics, weight, now))
    return list(made.values())


def read_topics(path: Path) -> dict[str, Topic]:
    """JSON lines `{id, question, audience}`, by id."""
    found: dict[str, Topic] = {}
    for where, row in json_rows(path, MOST):
        with _line(where):
            topic = text_of(row, "id")
            if topic in found:
                raise ValueError(f"the id {topic!r:.80} was there before")
            found[topic] = _question(row), _audience(row["audience"])
    return found


def read_questions(path: Path) -> list[Topic]:
    """JSON lines with a `question` and, where its readers are not just whoever judges, its `audience`."""
    found = []
    for where, row in json_rows(path, MOST):
        with _line(where):
            found.append((_question(row), _audience(row["audience"]) if "audience" in row else ()))
    if not found:
        raise BadInput(f"{path} holds no question", cure='give lines of {"question": "…"}')
    return found


def _judgment(row: Mapping[str, Any], weight: float, now: datetime) -> Label:
    if strange := sorted(row.keys() - FIELDS):
        raise ValueError(f"unknown fields {', '.join(strange)}")
    if row.get("source", "judged") != "judged":
        raise ValueError("only judgments are taken; other labels are made by vouch label collect")
    hashed, version = row.get("text_hash"), row.get("version", 0)
    if hashed is not None and not (isinstance(hashed, str) and _HASH.fullmatch(hashed)):
        raise ValueError("'text_hash' is not 64 hex digits")
    if type(version) is not int or not 0 <= version < 2**31:
        raise ValueError("'version' is not the number of a version")
    return Label(
        _question(row), _audience(row["audience"]), _chunk(row["chunk_id"]), hashed, version, row["relevance"],
        "judged", _weight(row.get("weight", weight)), _moment(row["at"]) if row.get("at") else now,
        parse_tag(row["person"]) if row.get("person") else None,
    )  # fmt: skip


def _judged(line: str, topics: Mapping[str, Topic], weight: float, now: datetime) -> Label:
    fields = line.split()
    if len(fields) != 4:
        raise ValueError("not four fields: topic, 0, chunk and relevance")
    topic, _, chunk, relevance = fields
    if topic not in topics:
        raise ValueError(f"the file of questions has no id {topic!r:.80}")
    return Label(*topics[topic], _chunk(chunk), None, 0, int(relevance), "judged", weight, now)


def _take(made: dict[str, Label], label: Label) -> None:
    if label.key in made:
        raise ValueError("an earlier line judges the same passage for the same question")
    made[label.key] = label


def _question(row: Mapping[str, Any]) -> str:
    text = text_of(row, "question")
    if not text.strip() or len(text) > LONGEST_QUESTION:
        raise ValueError(f"a question has 1 to {LONGEST_QUESTION:,} characters")
    if any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("a question with a character that is none")
    return text


def _audience(tags: object) -> tuple[str, ...]:
    if not isinstance(tags, list) or not tags:
        raise ValueError("'audience' is not a list of access tags")
    return tuple(sorted({tag if str(tag).startswith(CONVERSATION) else parse_tag(tag) for tag in tags}))


def _chunk(name: object) -> str:
    if not isinstance(name, str) or not _CHUNK.fullmatch(name):
        raise ValueError("'chunk_id' is not the id of a passage")
    return name


def _weight(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("'weight' is not a number")
    return float(value)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None or not 1970 <= moment.year < 9999:
        raise ValueError("'at' is not a moment with a time zone, from 1970 on")
    return moment.astimezone(UTC)


@contextmanager
def _line(where: str) -> Iterator[None]:
    """Whatever is wrong inside is BadInput that names the line."""
    try:
        with reading(where):
            yield
    except VouchError as error:
        if error.cause.startswith(where):
            raise
        raise BadInput(f"{where}: {error.cause}", cure=error.cure) from error
