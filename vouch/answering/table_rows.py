"""Rows of tables as they are quoted: each cell under the name of its column."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import zip_longest

from vouch.documents.tables import Row, cell_spans, cells, headers_of, row_at, table_rows, unescaped
from vouch.retrieval.candidate import Passage

Show = Callable[[str], str]             # a piece of Markdown → the words a reader is shown


def row_text(line: str, header: str, show: Show) -> str:
    """`column: cell; column: cell.`, or the cells alone where the columns have no names."""
    names = [show(name).rstrip(":").rstrip() for name in cells(header)] if header else []
    words = [show(unescaped(line[start:end])) for start, end in cell_spans(line)]
    pairs = [(name, word) for name, word in zip_longest(names, words, fillvalue="") if word]
    told = [f"{name}: {word}" if name else word for name, word in pairs]
    text = ("; " if any(name for name, _ in pairs) else ", ").join(told)
    return text if not text or text[-1] in ".!?…" else f"{text}."


def rows_of(passage: Passage) -> tuple[Row, ...]:
    return _read(passage.text, passage.header)


@lru_cache(maxsize=128)
def _read(text: str, header: str) -> tuple[Row, ...]:
    """Asked for again for each row of a passage."""
    return tuple(table_rows(text, header))


def quoted_row(passage: Passage, rows: Sequence[Row], start: int, show: Show) -> tuple[str, str]:
    """The row that holds the character at `start`, as it is shown, and the header it stands under."""
    row = row_at(rows, start)
    if row is None:
        return "", ""
    return row_text(passage.text[row.start : row.end], row.header, show), row.header


def is_header(rows: Sequence[Row], start: int) -> bool:
    """Whether the character at `start` stands in a table's header, which says nothing without a row."""
    row = row_at(rows, start)
    return row is not None and row.kind == "header"


def beside(passage: Passage, start: int, end: int) -> str:
    """The headers, a line each, under which the rows in passage.text[start:end] stand."""
    return headers_of(rows_of(passage), start, end) if passage.has_table or "|" in passage.text else ""
