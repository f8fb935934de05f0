"""Tables for people: as wide as the terminal at most, and never cut."""

import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from bots.wrapping import Line, Tone, cells, wrap
from cli import screen
from cli.output import on_one_line, say

_GAP, _LEAST = "  ", 8


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", empty: str = "") -> None:
    """Columns of plain text; `empty` is said if no row comes. A row takes one line in a pipe, and at a terminal several
    where it is too wide for it."""
    written = [["" if value is None else on_one_line(str(value)) for value in row] for row in rows]
    if not written and empty:
        say(empty)
        return
    if title:
        say(title)
    widths = [max(map(cells, column)) for column in zip(headings, *written, strict=True)]
    if sys.stdout.isatty():
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
        padded = (cell + " " * (width - cells(cell)) for cell, width in zip(line, widths, strict=True))
        say(Line(_GAP.join(padded).rstrip(), tone))
