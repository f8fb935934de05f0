"""Excel: each sheet is a section with its name as heading, and a table below it. Hidden sheets are left out."""

import io
import logging
import warnings
from collections.abc import Iterator
from typing import Any

from vouch.adapters.parsers.markdown.writer import MarkdownWriter
from vouch.adapters.parsers.office.container import open_container
from vouch.adapters.parsers.tables.cells import shown_value
from vouch.adapters.parsers.tables.grid import write_grid
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable


class SheetsParser:
    def parse(self, content: Content) -> Parsed:
        open_container(content.data, "Excel workbook", ".xlsx").close()
        import openpyxl

        logging.getLogger("openpyxl").setLevel(logging.CRITICAL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(
                io.BytesIO(content.data), read_only=True, data_only=True, keep_links=False, rich_text=False
            )
            return _read(book)


def _read(book: Any) -> Parsed:
    out = MarkdownWriter()
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible":
            sheet.reset_dimensions()    # what it says of its size may be a lie of a billion cells
            out.heading(1, sheet.title)
            write_grid(out, _rows(sheet))
    parsed = out.parsed(book.properties.title or "")
    if not any(block.kind != "heading" for block in parsed.blocks):
        raise Unreadable("holds no words or numbers in a sheet that is shown", cure="check the file")
    return parsed


def _rows(sheet: Any) -> Iterator[list[str]]:
    for row in sheet.iter_rows():
        yield [shown_value(cell.value, cell.number_format) if cell.value is not None else "" for cell in row]
