"""What people and programs see: JSON lines on request, tables and progress bars for a person at a terminal.

Nothing printed here steers the terminal, whoever wrote it: documents, names, errors. All commands print here.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import typer

from cli import completion
from flows.progress import Progress, silent
from vouch.access import Directory, Permissions
from vouch.adapters.printable import json_line, printable

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs: one object a line.")]
Readers = Annotated[
    list[str],
    typer.Option("--as", metavar="TAG", help="A reader: user:NAME, group:NAME or public. Several are an audience.",
                 autocompletion=completion.readers),
]


class OutputClosed(Exception):
    """Whoever read our output reads no more, as `head` does. No OSError, or the parser would make an error of it."""


def emit(row: Mapping[str, Any]) -> None:
    """One JSON object on a line of its own, flushed, so that a pipe sees it at once."""
    _write(json_line(row))


def say(text: str = "") -> None:
    """A line for people."""
    _write(printable(text))


def _write(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise OutputClosed from error


def count(number: int, thing: str, plural: str = "") -> str:
    """`number` of `thing`, in the plural unless it is one."""
    return f"{number} {thing}" if number == 1 else f"{number} {plural or thing + 's'}"


def moment(iso: str | None) -> str:
    """A moment of the machine's own time zone, to the minute; JSON keeps the exact one in UTC."""
    return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M") if iso else ""


def people_and_groups(directory: Directory) -> str:
    people = "1 person" if len(directory.people) == 1 else f"{len(directory.people)} people"
    return f"{people}, {count(len(directory.groups), 'group')}"


def warn(text: str) -> None:
    """A line on standard error, so that it never mixes with results."""
    complain(f"warning: {text}")


def complain(text: str) -> None:
    """Lines on standard error."""
    sys.stderr.write(printable(text) + "\n")


def warn_unreadable(permissions: Permissions) -> None:
    """Tells who runs the command why whole sources are hidden; it is in no answer."""
    for source, reason in permissions.unreadable.items():
        warn(f"the access rules of source {source} cannot be read, so nobody may read its documents: {reason}")


def hint_why_nothing(tags: Sequence[str], permissions: Permissions) -> None:
    """Tells a person who was given nothing what in the configuration may be the reason, whatever the documents hold."""
    from vouch.access_check.sources import no_rules, without_rules

    for source in (shut := without_rules(permissions)):
        say(f"(nobody can read anything of it: {no_rules(source)})")
    if tuple(tags) == ("public",) and len(shut) < len(permissions.rulebooks):
        say("(only public documents were looked at; name a reader to look at more: --as user:NAME)")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", empty: str = "") -> None:
    """A table at a terminal; in a pipe columns of plain text, never cut. `empty` is said if no row comes."""
    cells = [[_cell(value) for value in row] for row in rows]
    if not cells and empty:
        say(empty)
    elif sys.stdout.isatty():
        _draw(headings, cells, title)
    else:
        if title:
            say(title)
        widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
        for row in (headings, *cells):
            say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _cell(value: object) -> str:
    """On one line, so that no name can look like a row of its own."""
    return "" if value is None else printable(str(value)).replace("\n", "\\n")


def _draw(headings: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    shown = Table(title=escape(title) or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        shown.add_column(heading, overflow="fold")
    for row in rows:
        shown.add_row(*map(escape, row))
    Console(highlight=False).print(shown)


@contextmanager
def waiting(text: str, wanted: bool = True) -> Iterator[None]:
    """A moving sign with `text` on standard error while the work lasts; nothing when it is not a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


@contextmanager
def progress(wanted: bool = True) -> Iterator[Progress]:
    """Bars with time left on standard error, one per stage; none when it is not a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def listen(stage: str, done: int, total: int) -> None:
            if total and stage not in tasks:
                tasks[stage] = bars.add_task(_cell(stage), total=total)
            if stage in tasks:
                bars.update(tasks[stage], completed=done, total=total, visible=done < total)

        yield listen
