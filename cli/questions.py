"""The questions of one command: a single text, or a file of JSON lines."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vouch.access import Directory, parse_tag
from vouch.access_check.names import asked_in_vain
from vouch.errors import BadInput, Usage

_CURE = 'write lines like {"id": "q1", "text": "…", "as": ["public"]}'


@dataclass(frozen=True, slots=True)
class Query:
    id: str | None
    text: str
    tags: tuple[str, ...]

    def doubts(self, directory: Directory) -> list[str]:
        """Why readers may get less than whoever asks expects: the directory does not hold them, or no longer."""
        return [told for tag in self.tags if (told := asked_in_vain(directory, tag))]


def one_or_many(text: str | None, readers: Sequence[str], file: Path | None) -> Iterator[Query]:
    """Yields the queries; Usage unless exactly one of `text` and `file` is given."""
    if (text is None) == (file is None):
        raise Usage("give either a text or a file of questions", cure='vouch ask "TEXT" or --questions FILE.jsonl')
    if file is None:
        assert text is not None
        yield _query(None, text, list(readers), "the question")
        return
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {file}: {error}", cure="name a file of JSON lines") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _row(line, f"{file} line {number}")


def _row(line: str, place: str) -> Query:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise BadInput(f"{place} is not JSON: {error}", cure=_CURE) from error
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise BadInput(f"{place} has no text", cure=_CURE)
    tags = row.get("as", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise BadInput(f"{place}: as is not a list of tags", cure=_CURE)
    return _query(str(row["id"]) if "id" in row else None, row["text"], tags, place)


def _query(id_: str | None, text: str, tags: Sequence[str], place: str) -> Query:
    if not text.strip():
        raise BadInput(f"{place} is empty", cure="write a question")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadInput(f"{place} has half a character, \\ud800 to \\udfff", cure=_CURE)
    return Query(id_, text, tuple(parse_tag(tag) for tag in tags) or ("public",))
