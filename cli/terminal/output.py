"""What people and programs see: JSON lines on request, lines and tables for people.

Nothing printed here steers the terminal, whoever wrote it: documents, names, errors. All commands print here.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Annotated, Any, TextIO

import typer

from bots.wrapping import Line, Tone, cells, wrap
from cli.terminal import completion, screen
from cli.terminal.reader_tags import checked_readers
from vouch.access import Directory, Permissions
from vouch.adapters.printable import json_line, printable
from vouch.plurals import count

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs: one object a line.")]
Readers = Annotated[
    list[str],
    typer.Option("--as", metavar="TAG", autocompletion=completion.readers, callback=checked_readers,
                 help="A reader: user:NAME, group:NAME or public. May be repeated; all must be allowed to read."),
]
FLAGGED = "flagged: it reads like instructions to a language model; such text is never quoted in an answer"


class OutputClosed(Exception):
    """The reader of our output has stopped reading, as `head` does. Not an OSError, which the parser would report as an
    error.
    """


def emit(row: Mapping[str, Any]) -> None:
    """One JSON object on a line of its own, flushed, so that a pipe sees it at once."""
    _write(json_line(row))


def say(*pieces: str | Line) -> None:
    """A line for people, of one piece or several, each in its own tone."""
    _write("".join(_shown(piece, sys.stdout) for piece in pieces))


def say_wrapped(lead: Line, text: str) -> None:
    """A sentence after its first word, at a terminal with what goes to the next line set in."""
    room = screen.width() if sys.stdout.isatty() else sys.maxsize
    first, *others = wrap(text, room, first=" " * len(lead.text), rest="     ")
    say(lead, first[len(lead.text):])
    for line in others:
        say(line)


def say_all(lines: Iterable[Line]) -> None:
    for line in lines:
        say(line)


def on_one_line(text: str) -> str:
    """The text on one line, so that no name can look like a separate row."""
    return printable(text).replace("\n", "\\n")


def _shown(piece: str | Line, stream: TextIO) -> str:
    line = Line(piece) if isinstance(piece, str) else piece
    return screen.painted(printable(line.text), line.tone, stream)


def _write(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise OutputClosed from error


def moment(iso: str | None) -> str:
    """The moment in the machine's time zone, to the minute; JSON has the exact one in UTC."""
    return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M") if iso else ""


def people_and_groups(directory: Directory) -> str:
    people = "1 person" if len(directory.people) == 1 else f"{len(directory.people)} people"
    return f"{people}, {count(len(directory.groups), 'group')}"


def warn(text: str) -> None:
    """A line on standard error, so that it never mixes with results."""
    complain(Line("warning:", "warning"), f" {text}")


def complain(*pieces: str | Line) -> None:
    """A line on standard error."""
    sys.stderr.write("".join(_shown(piece, sys.stderr) for piece in pieces) + "\n")


def warn_unreadable(permissions: Permissions) -> None:
    """Warns the person at the command why whole sources are hidden; no answer contains this."""
    from vouch.access_check.sources import UNREAD

    for source, reason in permissions.unreadable.items():
        warn(f"the access rules of source {source} cannot be read, so nobody may read its documents: {reason}")
    for source in permissions.waiting:
        warn(f"nobody may read source {source} yet: {UNREAD}")


def hint_why_nothing(tags: Sequence[str], permissions: Permissions, sources: Sequence[str] = ()) -> None:
    """Prints reasons in the configuration why nothing was found, whatever the documents hold.

    `sources` are the names that were asked for. Whether they exist is not looked up: a hidden one would be told.
    """
    from vouch.access_check.sources import no_rules, without_rules

    for source in (shut := without_rules(permissions)):
        say(f"(nobody can read its documents: {no_rules(source)})")
    if tuple(tags) == ("public",) and len(shut) < len(permissions.rulebooks):
        say("(only public documents were looked at; name a reader to look at more: --as user:NAME)")
    if sources:
        names = " or ".join(on_one_line(source) for source in sources)
        say(f"(only --source {names} was looked at: check the name, as there may be no source of this name that these "
            "readers may read)")


_GAP, _LEAST, _PADDED = "  ", 8, 32


def table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", empty: str = "", padded: int = _PADDED
) -> None:
    """Columns of plain text; `empty` is said if no row comes. A row takes one line in a pipe, where a cell of more than
    `padded` signs widens no other row, and at a terminal several where it is too wide for it."""
    written = [["" if value is None else on_one_line(str(value)) for value in row] for row in rows]
    if not written and empty:
        say(empty)
        return
    if title:
        say(title)
    widths = [max(map(cells, column)) for column in zip(headings, *written, strict=True)]
    if not sys.stdout.isatty():
        for row in (headings, *written):
            say(_padded(row, [min(width, padded) for width in widths]))
        return
    widths = _fitting(widths, screen.width() - len(_GAP) * (len(widths) - 1))
    _row(headings, widths, "strong")
    for row in written:
        _row(row, widths)


def _fitting(widths: Sequence[int], room: int) -> list[int]:
    """The widths, the widest of them made less until all fit."""
    fitting = list(widths)
    while sum(fitting) > room and max(fitting) > _LEAST:
        fitting[fitting.index(max(fitting))] -= 1
    return fitting


def _row(row: Sequence[str], widths: Sequence[int], tone: Tone = "") -> None:
    parted = [wrap(cell, width, part_words=True) for cell, width in zip(row, widths, strict=True)]
    for line in zip_longest(*parted, fillvalue=""):
        say(Line(_padded(line, widths), tone))


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    """The cells in columns; one that is longer than its column moves the rest of its own row on."""
    padded = (cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True))
    return _GAP.join(padded).rstrip()
