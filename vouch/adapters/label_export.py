"""Writes labels: as JSON lines, or as TREC qrels beside the questions that their topics stand for."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from statistics import median_low
from typing import Any

from vouch.adapters.label_files import FIELDS
from vouch.errors import Usage
from vouch.learning.labels.label import Label
from vouch.learning.models.model_file import check_place


def write_labels(labels: Iterable[Label], path: Path) -> int:
    """How many lines there are. The file is written whole, or what was there is left."""
    return _write(path, [json.dumps(row, ensure_ascii=False) for row in map(_row, labels)])


def write_qrels(labels: Iterable[Label], path: Path, questions: Path) -> int:
    """A line for each question and passage, with the lower median of what was judged. A topic is a question's key."""
    if path == questions:
        raise Usage("qrels and questions cannot be one file", cure="name another file for the questions")
    judged: dict[tuple[str, str], list[int]] = {}
    topics: dict[str, dict[str, Any]] = {}
    for label in labels:
        judged.setdefault((label.question_key, label.chunk_id), []).append(label.relevance)
        topics[label.question_key] = {
            "id": label.question_key, "question": label.question, "audience": list(label.audience),
        }  # fmt: skip
    _write(questions, [json.dumps(topics[key], ensure_ascii=False) for key in sorted(topics)])
    return _write(path, [f"{key} 0 {chunk} {median_low(values)}" for (key, chunk), values in sorted(judged.items())])


def _row(label: Label) -> dict[str, Any]:
    row = {name: getattr(label, name) for name in sorted(FIELDS)}
    return {**row, "audience": list(label.audience), "at": label.at.isoformat()}


def _write(path: Path, lines: list[str]) -> int:
    """Readable for its owner alone: it holds what people asked."""
    check_place(path)
    draft = path.with_name(f".{path.name}.new")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        draft.replace(path)
    except OSError as error:
        raise Usage(f"{path} cannot be written: {error.strerror}", cure="name another file") from error
    return len(lines)
