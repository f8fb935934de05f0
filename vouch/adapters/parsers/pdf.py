"""PDF: the text of each page, headings apart; pages are parted by a form feed on a line of its own."""

import io
import logging
import re
from typing import Any

from vouch.adapters.parsers.pdf_headings import page_text
from vouch.adapters.parsers.plain.text import paragraphs, readable, refuse_empty
from vouch.documents.document import Block, Content, Parsed
from vouch.errors import Unreadable

PAGE_BREAK = "\n\f\n"
_HEAD = 1024                            # bytes in which a PDF must say that it is one
_CURE = "split it, or raise VOUCH_PARSING__PAGES"
_NO_TITLE = re.compile(
    r"[\W\d_]*|(?:untitled|unnamed|no title|title|(?:new )?document|presentation|book|workbook|sheet|slide|scan|page|"
    r"print|unbenannt|ohne titel|dokument|sans titre|sin título|senza titolo|无标题|無題)"
    r"(?:[ _-]?(?:document|page|presentation|dokument|seite|notebook))?[ _-]?\(?\d{0,4}\)?(?:\.\w{1,5})?"
    r"|microsoft (?:word|powerpoint|excel) - .*|about:blank|file://.*",
    re.IGNORECASE,
)
_LARGEST_TEXT = 20_000_000  # characters; compressed pages can hold far more than the file's size


class PdfParser:
    def __init__(self, most_pages: int) -> None:
        self._most_pages = most_pages

    def parse(self, content: Content) -> Parsed:
        from pypdf import PdfReader

        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        refuse_empty(content.data)
        if b"%PDF-" not in content.data[:_HEAD]:
            raise Unreadable("is not a PDF", cure="check the file")
        reader = PdfReader(io.BytesIO(content.data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("is protected by a password", cure="save it without one")
        pages: list[str] = []
        length = 0
        for number, page in enumerate(reader.pages):
            if number >= self._most_pages:
                raise Unreadable(f"has more than {self._most_pages:,} pages", cure=_CURE)
            pages.append(readable(page_text(page)).strip())
            length += len(pages[-1])
            if length > _LARGEST_TEXT:
                raise Unreadable(f"holds more than {_LARGEST_TEXT:,} characters", cure="split it")
        if not any(pages):
            raise Unreadable("holds no text, only pictures perhaps", cure="run text recognition on it")
        return Parsed(PAGE_BREAK.join(pages), _title(reader), tuple(_blocks(pages)))


def _blocks(pages: list[str]) -> list[Block]:
    text, blocks, start = PAGE_BREAK.join(pages), list[Block](), 0
    for number, page in enumerate(pages, 1):
        blocks.extend(paragraphs(text, start, start + len(page), number))
        start += len(page) + len(PAGE_BREAK)
    return blocks


def _title(reader: Any) -> str:
    """The title that the PDF says it has, unless that is one its program made up; the file's name is better then."""
    title = reader.metadata.title if reader.metadata else None
    words = readable(" ".join(title.split())) if isinstance(title, str) else ""
    return "" if _NO_TITLE.fullmatch(words) else words
