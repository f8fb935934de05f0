"""Rows of tables as they are quoted: each cell under the name of its column."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest

from vouch.documents.markup import shown
from vouch.documents.tables import Row, cell_spans, cells, headers_of, row_at, table_rows, unescaped
from vouch.retrieval.candidate import Passage

_PARTS = re.compile(r";|:(?=\s|\Z)")


def rows_of(passage: Passage) -> tuple[Row, ...]:
    return _read(passage.text, passage.header)


@lru_cache(maxsize=128)
def _read(text: str, header: str) -> tuple[Row, ...]:
    """Asked for again for each row of a passage."""
    return tuple(table_rows(text, header))


def quoted_row(passage: Passage, rows: Sequence[Row], start: int) -> tuple[str, str]:
    """The row that holds the character at `start`, as it is shown, and the header it stands under.

    It is shown as `column: cell; column: cell`, or the cells alone where the columns have no names.
    """
    row = row_at(rows, start)
    if row is None:
        return "", ""
    named = zip_longest(_names(passage, rows, row), _cells(passage, row), fillvalue="")
    pairs = [(name, word) for name, word in named if word]
    if not any(name for name, _ in pairs):
        return ", ".join(word for _, word in pairs), row.header
    return "; ".join(f"{_one(name)}: {_one(word)}" if name else _one(word) for name, word in pairs), row.header


def _one(words: str) -> str:
    """In quotation marks where its own signs would pass for those between columns and cells."""
    return f'"{words}"' if _PARTS.search(words) else words


def _cells(passage: Passage, row: Row) -> list[str]:
    """The cells of a line of the passage, without their marks."""
    spans = cell_spans(passage.text[row.start : row.end])
    return [unescaped(shown(passage.text, row.start + a, row.start + b, passage.markup)) for a, b in spans]


def _names(passage: Passage, rows: Sequence[Row], row: Row) -> list[str]:
    """The names of the columns. Of a header in another passage only asterisks around names are marks."""
    if not row.header:
        return []
    head = next((one for one in rows if one.kind == "header" and one.header == row.header), None)
    names = _cells(passage, head) if head else [_without_stars(cell) for cell in cells(row.header)]
    return [name.rstrip(":").rstrip() for name in names]


def _without_stars(name: str) -> str:
    return name.strip("*").strip() if name[:1] == name[-1:] == "*" else name


def lines_of(passage: Passage, rows: Sequence[Row], start: int) -> tuple[int, int] | None:
    """The range of the row that holds the character at `start`, if it has several lines."""
    row = row_at(rows, start)
    return (row.start, row.end) if row and "\n" in passage.text[row.start : row.end] else None


def is_header(rows: Sequence[Row], start: int) -> bool:
    """Whether the character at `start` stands in a table's header, which says nothing without a row."""
    row = row_at(rows, start)
    return row is not None and row.kind == "header"


def beside(passage: Passage, start: int, end: int) -> str:
    """The headers, a line each, under which the rows in passage.text[start:end] stand."""
    return headers_of(rows_of(passage), start, end) if passage.has_table or "|" in passage.text else ""
