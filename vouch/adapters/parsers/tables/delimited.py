"""CSV and TSV: one table, whose first row is the header."""

import csv
import io
from collections.abc import Iterator

from vouch.adapters.parsers.markdown.grid import write_grid
from vouch.adapters.parsers.markdown.writer import MarkdownWriter
from vouch.adapters.parsers.plain.text import decode
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

_DELIMITERS = ",;\t|"
_SAMPLE = 16 * 1024                     # characters looked at to tell what parts the cells
_SAMPLE_ROWS = 20


class DelimitedParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        delimiter = "\t" if content.path.lower().endswith(".tsv") else _delimiter(text)
        out = MarkdownWriter()
        write_grid(out, _rows(text, delimiter))
        return out.parsed()


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        yield from rows
    except csv.Error as error:
        cause = f"is not a table of cells: the one that line {rows.line_num} belongs to does not end"
        raise Unreadable(cause, cure="check the quotation marks before it") from error


def _delimiter(text: str) -> str:
    """The mark that cuts most of the first rows into equally many cells; a comma if none does."""
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE:
        sample = sample[: sample.rfind("\n") + 1 or _SAMPLE]
    return max(_DELIMITERS, key=lambda mark: _evenness(sample, mark))


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    widths: list[int] = []
    try:
        for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            if row and len(widths) < _SAMPLE_ROWS:
                widths.append(len(row))
    except csv.Error:
        return (0.0, 0)
    common = max(set(widths), key=widths.count, default=1)
    return (widths.count(common) / len(widths), common) if common > 1 else (0.0, 0)
