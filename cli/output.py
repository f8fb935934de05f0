"""What people and programs see: JSON lines on request, tables and progress bars for a person at a terminal."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from flows.progress import Progress, silent
from vouch.access import Directory, Permissions

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs: one object a line.")]
Readers = Annotated[
    list[str],
    typer.Option("--as", metavar="TAG", help="A reader: user:NAME, group:NAME or public. Several are an audience."),
]


def emit(row: Mapping[str, Any]) -> None:
    """One JSON object on a line of its own, flushed, so that a pipe sees it at once."""
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def say(text: str = "") -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def count(number: int, thing: str) -> str:
    """`number` of `thing`, in the plural unless it is one."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def people_and_groups(directory: Directory) -> str:
    people = "1 person" if len(directory.people) == 1 else f"{len(directory.people)} people"
    return f"{people}, {count(len(directory.groups), 'group')}"


def warn(text: str) -> None:
    """A line on standard error, so that it never mixes with results."""
    sys.stderr.write(f"warning: {text}\n")


def hint_why_nothing(tags: Sequence[str], permissions: Permissions) -> None:
    """Tells a person who was given nothing what in the configuration may be the reason, whatever the documents hold."""
    from vouch.access_check.sources import no_rules, without_rules

    for source in (shut := without_rules(permissions)):
        say(f"(nobody can read anything of it: {no_rules(source)})")
    if tuple(tags) == ("public",) and len(shut) < len(permissions.rulebooks):
        say("(only public documents were looked at; name a reader to look at more: --as user:NAME)")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """A table for people; in a pipe it is plain text of full width."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    shown = Table(title=title or None, title_justify="left")
    for heading in headings:
        shown.add_column(heading, overflow="fold")
    for row in rows:
        shown.add_row(*(_cell(value) for value in row))
    console.print(shown)


def _cell(value: object) -> str:
    from rich.markup import escape

    return escape("" if value is None else str(value))


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
                tasks[stage] = bars.add_task(stage, total=total)
            if stage in tasks:
                bars.update(tasks[stage], completed=done, total=total, visible=done < total)

        yield listen
