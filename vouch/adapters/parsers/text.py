"""Plain text: paragraphs between blank lines. Also how bytes of any text format become text."""

import re
from collections.abc import Iterator

from vouch.adapters.parsers.front_matter import split_front_matter
from vouch.adapters.parsers.text_marks import text_markup
from vouch.documents.document import Block, Content, Parsed
from vouch.errors import Unreadable

_ZEROS = "holds zero bytes, so it is not text"
MOST_TITLE = 200                        # characters
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")


def decode(data: bytes, encoding: str | None = None) -> str:
    """UTF-8, or UTF-16 that says so by its byte order mark; else `encoding`, or the one that is certainly it.

    A byte order mark is left out. Raises Unreadable where the encoding stays in doubt.
    """
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        if wide:
            raise Unreadable("not UTF-8 text (broken at its UTF-16)", cure="save it as UTF-8") from error
        text = _older(data, encoding, error.start)
    if "\0" in text:
        raise Unreadable(_ZEROS, cure="save it as UTF-8 text")
    return text


def _older(data: bytes, encoding: str | None, at: int) -> str:
    if b"\0" in data:
        raise Unreadable(_ZEROS, cure="save it as UTF-8 text")
    from vouch.adapters.parsers.encodings import detected

    name = encoding or detected(data)
    if name is None:
        cause = f"not UTF-8 text (broken at byte {at}), and which older encoding it is in stays in doubt"
        raise Unreadable(cause, cure="save it as UTF-8")
    try:
        return data.decode(name)
    except (UnicodeDecodeError, LookupError) as error:
        raise Unreadable(f"neither UTF-8 text nor {name}", cure="save it as UTF-8") from error


def readable(text: str) -> str:
    """`text` with what cannot be stored (zero characters, halves of surrogate pairs) replaced."""
    return _NOT_TEXT.sub("\ufffd", text)


def short_title(title: str) -> str:
    """A title that can be stored and stands above every passage without crowding it out."""
    title = readable(title[: 4 * MOST_TITLE])
    return title if len(title) <= MOST_TITLE else title[: MOST_TITLE - 1].rstrip() + "…"


def paragraphs(text: str, start: int, end: int, page: int | None = None) -> Iterator[Block]:
    """Blocks of the runs of lines that blank lines separate."""
    for match in _PARAGRAPH.finditer(text, start, end):
        yield Block("paragraph", match.start(), match.start() + len(match[0].rstrip()), page=page)


class TextParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        front = split_front_matter(text)
        blocks = tuple(paragraphs(text, front.end, len(text)))
        return Parsed(text, front.title, blocks, front.narrowed, text_markup(text, blocks))
