"""Excel: each visible sheet is a section with a table of what its cells show."""

import io
import logging
import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

from vouch.adapters.parsers.markdown.grid import write_grid
from vouch.adapters.parsers.markdown.writer import MarkdownWriter
from vouch.adapters.parsers.office.container import open_container
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

_LITERAL = re.compile(r'"[^"]{0,255}+"|\\.|_.|\*.|\[[^\[\]]{0,255}+\]')
_CURRENCY = re.compile(r"\[\$([^\[\]\-]{0,50}+)(?:-[^\[\]]{0,50}+)?+\]|\"([^\"]{0,255}+)\"|([$€£¥])")
_NUMBER = re.compile(r"[#0?,.]+")
_MOST_DECIMALS = 10


def shown_value(value: object, form: str = "General") -> str:
    """Dates as ISO 8601; numbers with the decimals, thousands, percent and currency that their format gives them."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, form or "General")
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time.min else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes" if not value.second else "seconds")
    if isinstance(value, timedelta):
        return str(value)
    return str(value)


def _number(value: float, form: str) -> str:
    form = form.split(";")[0]
    if form in ("General", "@"):
        return _general(value)
    bare = _LITERAL.sub("", form)
    digits = next((m[0] for m in _NUMBER.finditer(bare) if m[0].strip(",.")), None)
    if digits is None or "/" in bare or "E" in bare.upper():
        return _general(value)
    percent = "%" in bare
    whole, _, behind = digits.partition(".")
    decimals = min(len(behind) - len(behind.lstrip("0?")), _MOST_DECIMALS)
    words = f"{value * 100 if percent else value:{',' if ',' in whole else ''}.{decimals}f}"
    mark = next((m for m in _CURRENCY.finditer(form)), None)
    sign = next((group for group in mark.groups() if group), "").strip() if mark else ""
    if sign:
        words = f"{sign}{words}" if mark and mark.start() < form.find("0") else f"{words} {sign}"
    return f"{words}%" if percent else words


def _general(value: float) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"


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
