"""Plain text: paragraphs between blank lines. Also how bytes of any text format become text."""

import re
from collections.abc import Iterator

from vouch.adapters.parsers.narrowing.front_matter import split_front_matter
from vouch.adapters.parsers.plain.text_marks import text_markup
from vouch.documents.document import Block, Content, Parsed
from vouch.errors import Unreadable

_ZEROS = "holds zero bytes, so it is not text"
MOST_TITLE = 200                        # characters
_MOST_TITLE_LINE = 80
_STOPS = ".!?…:;,。！？｡：、"
_NO_TITLE = re.compile(r"[:=@\t|]\s|[=@\t|]|://|\A\d{1,3}[.)]\s|\S {3,}\S")
_UNDER = re.compile(r"([=~^*+-])\1{2,200}+")
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
        cause = f"not UTF-8 text (broken at byte {at}), and its older encoding cannot be determined"
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


def is_title(line: str) -> bool:
    """Whether the first line of a text, alone in its paragraph, is its title and no sentence, greeting or item."""
    words = line.strip()
    return (
        len(words) <= _MOST_TITLE_LINE and any(map(str.isalpha, words)) and _NO_TITLE.search(words) is None
        and words[0].isalnum() and words[-1] not in _STOPS
    )


def _titled(text: str, blocks: list[Block]) -> list[Block]:
    """The first paragraph as a heading, if that is what it looks like, perhaps underlined."""
    if len(blocks) < 2:
        return blocks
    first, *lines = text[blocks[0].start : blocks[0].end].split("\n")
    if not (is_title(first) and (not lines or (len(lines) == 1 and _UNDER.fullmatch(lines[0].strip())))):
        return blocks
    return [Block("heading", blocks[0].start, blocks[0].end, level=1, title=" ".join(first.split())), *blocks[1:]]


class TextParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        front = split_front_matter(text)
        blocks = tuple(_titled(text, list(paragraphs(text, front.end, len(text)))))
        title = front.title or next((block.title for block in blocks if block.kind == "heading"), "")
        return Parsed(text, title, blocks, front.narrowed, text_markup(text, blocks), owners=front.owners)
