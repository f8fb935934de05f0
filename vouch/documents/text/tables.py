"""Pipe tables: which header a row stands under, and its cells, as Markdown (GFM) and AsciiDoc read them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from vouch.documents.text.span import Span

LONGEST_HEADER = 2000                   # characters; rows under a longer one are read without it

_LINE = re.compile(r"[^\n]*")
_LEAD = re.compile(r"[ \t>]*")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")
_EDGE = re.compile(r"^\|={3,}(?=\s|\Z)", re.MULTILINE)            # around a table of AsciiDoc


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table, from its first bar on; in AsciiDoc a row may have several.

    `header` is the line of its column names, empty if it has none.
    """

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
    """The header of the table text[start:end], None if it does not begin with one."""
    if edge := _EDGE.match(text, start, end):
        heads = next((row for row in _asciidoc_rows(text[edge.start() : end]) if row.kind != "rule"), None)
        return (start + heads.start, start + heads.end) if heads and heads.kind == "header" else None
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
    if _EDGE.search(text) or (carried and _goes_on_in_asciidoc(text, carried)):
        return list(_asciidoc_rows(text, carried))
    rows: list[Row] = []
    for n, run in enumerate(_runs(text)):
        rows.extend(_read(text, run, carried if n == 0 and not text[: run[0][0]].strip(" \t>\n") else ""))
    return rows


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


def _goes_on_in_asciidoc(text: str, carried: str) -> bool:
    """Whether no row ends with a bar and none parts a header from its rows, as in the middle of a table of AsciiDoc."""
    columns = len(cells(carried))
    lines = [text[start:end] for run in _runs(text) for start, end in run]
    return not any(line.endswith("|") or is_rule(line, columns) for line in (carried, *lines))


def _asciidoc_rows(text: str, carried: str = "") -> Iterator[Row]:
    """The first line is the header if a blank one follows it; a row has as many cells as the header, on any lines."""
    header, inside = carried, bool(carried)
    for run in _runs(text):
        begun, cell_count, opened = -1, 0, False
        for n, (start, end) in enumerate(run):
            line = text[start:end]
            if _EDGE.fullmatch(line):
                inside = opened = not inside
                header = ""
                yield Row(start, end, "rule")
            elif opened and n == len(run) - 1 and len(line) <= LONGEST_HEADER:
                header = line
                yield Row(start, end, "header", header)
            else:
                begun, cell_count, opened = (begun if cell_count else start), cell_count + len(cells(line)), False
                if cell_count >= len(cells(header)) or n == len(run) - 1 or not header:
                    yield Row(begun, end, "row", header)
                    cell_count = 0
