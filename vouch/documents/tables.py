"""Pipe tables: which header a row stands under, and its cells, as Markdown (GFM) reads them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Span = tuple[int, int]
LONGEST_HEADER = 2000                   # characters; rows under a longer one are read without it

_LINE = re.compile(r"[^\n]*")
_LEAD = re.compile(r"[ \t>]*")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table, from its first bar on. `header` is the line of its column names, empty if it has none."""

    start: int
    end: int
    kind: Literal["header", "rule", "row"]
    header: str = ""


def cell_spans(line: str) -> list[Span]:
    """The ranges of the cells of a table's line, outer bars and blanks around them left out."""
    first, end = len(line) - len(line.lstrip()), len(line.rstrip())
    bars = [bar.start() for bar in _BAR.finditer(line, first, end)]
    if bars and bars[0] == first:
        first, bars = first + 1, bars[1:]
    if bars and bars[-1] == end - 1:
        end, bars = end - 1, bars[:-1]
    edges = [first - 1, *bars, end]
    return [_trimmed(line, a + 1, b) for a, b in pairwise(edges)]


def cells(line: str) -> list[str]:
    """The cells of a table's line."""
    return [unescaped(line[start:end]) for start, end in cell_spans(line)]


def unescaped(cell: str) -> str:
    return cell.replace("\\|", "|")


def _trimmed(line: str, start: int, end: int) -> Span:
    cell = line[start:end]
    return (end - len(cell.lstrip()), start + len(cell.rstrip())) if cell.strip() else (start, start)


def is_rule(line: str, columns: int) -> bool:
    """Whether the line parts a header of so many columns from its rows."""
    marks = cells(line)
    return len(marks) == columns and all(map(_RULE.fullmatch, marks))


def header_line(text: str, start: int, end: int) -> Span | None:
    """The header of the table text[start:end], None if its first two lines are not header and rule."""
    lines = _LINE.finditer(text, start, end)
    first, second = next(lines, None), None
    for line in lines:                  # an empty match stands between two lines
        if line[0]:
            second = line[0]
            break
    if first is None or second is None or not first[0].strip():
        return None
    names = cells(first[0])
    if not any(names) or not is_rule(second, len(names)) or len(first[0]) > LONGEST_HEADER:
        return None
    return start, start + len(first[0].rstrip())


def table_rows(text: str, carried: str = "") -> list[Row]:
    """The rows of every table in `text`, in order.

    `carried` is the header of the table that `text` begins in the middle of;
    the rows it opens with stand under that one.
    """
    found: list[Row] = []
    for n, run in enumerate(_runs(text)):
        found.extend(_read(text, run, carried if n == 0 and not text[: run[0][0]].strip(" \t>\n") else ""))
    return found


def row_at(rows: Sequence[Row], position: int) -> Row | None:
    """The row that holds the character at `position`."""
    at = bisect_right(rows, position, key=lambda row: row.start) - 1
    return rows[at] if at >= 0 and position < rows[at].end else None


def headers_of(rows: Sequence[Row], start: int, end: int) -> str:
    """The headers of the rows that text[start:end] meets and that it does not hold itself, a line each."""
    met = [row for row in rows if row.start < end and start < row.end]
    own = {row.header for row in met if row.kind == "header"}
    return "\n".join(dict.fromkeys(row.header for row in met if row.kind == "row" and row.header not in own)).strip()


def _runs(text: str) -> Iterator[list[Span]]:
    """Neighbouring lines that begin with a bar."""
    run: list[Span] = []
    at = 0
    for line in text.split("\n"):
        lead = _LEAD.match(line)
        begin = lead.end() if lead else 0
        if line[begin : begin + 1] == "|":
            run.append((at + begin, at + len(line.rstrip())))
        elif run:
            yield run
            run = []
        at += len(line) + 1
    if run:
        yield run


def _read(text: str, run: list[Span], carried: str) -> Iterator[Row]:
    lines = [text[start:end] for start, end in run]
    heads, header = None, carried
    if not carried:
        heads = next((n for n in range(len(lines) - 1) if _is_header(lines[n], lines[n + 1])), None)
    for n, (start, end) in enumerate(run):
        if heads is not None and n == heads:
            header = lines[n]
            yield Row(start, end, "header", header)
        elif (heads is not None and n == heads + 1) or (carried and n == 0 and _is_header(carried, lines[n])):
            yield Row(start, end, "rule")
        else:
            yield Row(start, end, "row", header)


def _is_header(line: str, following: str) -> bool:
    names = cells(line)
    return len(line) <= LONGEST_HEADER and any(names) and is_rule(following, len(names))
