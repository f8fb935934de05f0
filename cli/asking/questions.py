"""What a command asks: one text, standard input or a file of questions, and what narrows it."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import completion
from vouch.access import Directory, parse_tag
from vouch.access_check.directory import asked_in_vain
from vouch.errors import BadAccess, BadInput, Usage
from vouch.messages import LONGEST_QUESTION
from vouch.messages.message import MOST_STEPS

if TYPE_CHECKING:
    from vouch.filters import Filters

_LARGEST_FILE = 100_000_000             # characters
_MOST_READ = 100_000                    # bytes; a longer question is refused by its length in any case
ReaderOfCorpus = Annotated[list[str] | None, typer.Option(
    metavar="CORPUS=TAG",
    help="Who asks the questions of a corpus. Default: the reader that a question names, else public. May be repeated.",
)]
_CURE = 'write lines like {"id": "q1", "text": "…", "as": ["public"]}'
_KNOWN = {"id", "text", "question", "as", "steps"}


@dataclass(frozen=True, slots=True)
class Query:
    id: str | None
    text: str
    tags: tuple[str, ...]
    steps: int | None = None            # None: the line says nothing
    unread: tuple[str, ...] = ()        # keys of its line that mean nothing here

    def doubts(self, directory: Directory) -> list[str]:
        """Why readers may get less than the person expects: the directory does not list them, or they have expired."""
        return [told for tag in self.tags if (told := asked_in_vain(directory, tag))]


def one_or_many(
    words: Sequence[str], readers: Sequence[str], file: Path | None, *, usage: str
) -> list[Query]:
    """The queries, all of them checked before the first is asked.

    `words` are one text, `-` stands for standard input. Usage, with `usage`
    as its cure, unless exactly one of `words` and `file` is given; BadInput
    for a file with a line that is no question.
    """
    if bool(words) == (file is not None):
        raise Usage("give either a text or a file of questions", cure=usage)
    if file is None:
        text = _standard_input() if list(words) == ["-"] else " ".join(words)
        return [_query(None, text, list(readers), "the question")]
    found = [_row(line, f"{file} line {number}") for number, line in _lines(file) if line.strip()]
    if not found:
        raise BadInput(f"{file} holds no question", cure=_CURE)
    return found


def unread_keys(queries: Sequence[Query], *, takes_steps: bool = True) -> str:
    """What to tell of keys that mean nothing here, such as a misspelt one; empty if there are none."""
    unread = {key for one in queries for key in one.unread}
    if not takes_steps and any(one.steps is not None for one in queries):
        unread.add("steps")
    return f"not read in these lines: {', '.join(sorted(unread))[:200]}" if unread else ""


def by_corpus(readers: Sequence[str] | None) -> dict[str, str]:
    """The reader's tag of each corpus. Raises Usage for a text that is not CORPUS=TAG."""
    found = {}
    for text in readers or ():
        corpus, equals, tag = text.partition("=")
        if not (corpus and equals and tag):
            raise Usage(f"{text!r} is not CORPUS=TAG", cure="for example: --reader handbook=group:staff")
        found[corpus] = tag
    return found


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """With their numbers, from 1. Raises BadInput, also for a file or device without an end."""
    from vouch.adapters.data_files.public import bounded_lines

    cure = "name a file of JSON lines"
    try:
        with file.open(encoding="utf-8-sig") as opened:      # as editors of Windows write it
            yield from enumerate(bounded_lines(opened, _LARGEST_FILE), 1)
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 text", cure=cure) from error
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}", cure=cure) from error
    except ValueError as error:
        raise BadInput(f"{file} cannot be read: {error}", cure=cure) from error


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read(_MOST_READ + 1)[:_MOST_READ].decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput("standard input is not UTF-8 text", cure="pipe in a question") from error


def _row(line: str, place: str) -> Query:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place} is not JSON", cure=_CURE) from error
    text = (row.get("text") or row.get("question")) if isinstance(row, dict) else None
    if not isinstance(text, str):
        raise BadInput(f"{place} has no text", cure=_CURE)
    tags = row.get("as", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise BadInput(f"{place}: as is not a list of tags", cure=_CURE)
    steps = row.get("steps")
    if steps is not None and (type(steps) is not int or not 0 <= steps <= MOST_STEPS):
        raise BadInput(f"{place}: steps is no number from 0 to {MOST_STEPS}", cure=_CURE)
    query = _query(str(row["id"]) if "id" in row else None, text, tags, place)
    return replace(query, steps=steps, unread=tuple(str(key) for key in row if key not in _KNOWN))


def _query(id_: str | None, text: str, tags: Sequence[str], place: str) -> Query:
    if not text.strip():
        raise BadInput(f"{place} is empty", cure="write a question")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadInput(f"{place} holds an invalid character (a lone surrogate, \\ud800 to \\udfff)", cure=_CURE)
    if len(text) > LONGEST_QUESTION:
        raise BadInput(f"{place} is longer than {LONGEST_QUESTION:,} characters", cure="ask a shorter question")
    try:
        return Query(id_, text, tuple(parse_tag(tag) for tag in tags) or ("public",))
    except BadAccess as error:
        raise BadAccess(f"{place}: {error.cause}", cure=error.cure) from error


FromSources = Annotated[list[str], typer.Option(
    "--source", metavar="NAME", autocompletion=completion.sources,
    help="Only documents of this source. May be repeated to allow several.",
)]
FromPaths = Annotated[list[str], typer.Option(
    "--path", metavar="PATTERN",
    help="Only this document, this folder, or what this pattern matches, such as hr/**. May be repeated.",
)]
ChangedAfter = Annotated[str | None, typer.Option(
    "--after", metavar="YYYY-MM-DD", help="Only documents that changed on this day (UTC) or later.",
)]

OwnedBy = Annotated[list[str], typer.Option(
    "--owner", metavar="TAG",
    help="Only documents owned by user:NAME or group:NAME. May be repeated to allow several.",
)]

_OPTIONS = {"sources": "--source", "paths": "--path", "after": "--after", "owners": "--owner"}
_WRITE = {"--source": "--source NAME", "--path": '--path "hr/**"', "--after": "--after 2026-01-31",
          "--owner": "--owner user:NAME"}


def filters_of(
    sources: Sequence[str], paths: Sequence[str], after: str | None, owners: Sequence[str] = ()
) -> "Filters":
    """The filters of a command. Raises Usage for values that make no filter."""
    from pydantic import ValidationError

    from vouch.errors import Usage
    from vouch.filters import Filters
    from vouch.invalid import problems

    try:
        return Filters.model_validate({
            "sources": tuple(sources) or None, "paths": tuple(paths), "after": after, "owners": tuple(owners),
        })  # fmt: skip
    except ValidationError as error:
        named = [(_OPTIONS[str(one["loc"][0])], one) for one in error.errors()]
        wrong = [{**one, "loc": (option,)} for option, one in named]
        cures = dict.fromkeys(_WRITE[option] for option, _ in named)
        raise Usage(problems(wrong), cure=f"write {', '.join(cures)}") from error
