"""Plain text: bytes become text, paragraphs between blank lines, and the code and lists lines show."""

import re
from collections.abc import Iterable, Iterator, Sequence

from vouch.adapters.parsers.narrowing.front_matter import split_front_matter
from vouch.adapters.parsers.spans import apart
from vouch.documents.document import Block, Content, Parsed
from vouch.documents.formats import EMPTY
from vouch.documents.text.markup import DocumentMarkup
from vouch.documents.text.span import Span
from vouch.errors import Unreadable

_LINE = re.compile(r"[^\n]+")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪·]|\d{1,3}[.)])[ \t]")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_STARS = re.compile(r"(?<![\w*\\])(\*{1,2})(?=[^\s*])([^*`\n]{1,300}+)\1(?![\w*])")
_LOW_LINES = re.compile(r"(?<![\w\\])(_{1,2})(?=[^\s_])([^_`\n]{1,300}+)\1(?!\w)")
_TICKS = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]{1,300}+\1(?!`)")
_INDENTED = ("    ", "\t")


def text_markup(text: str, paragraphs: Sequence[Block]) -> DocumentMarkup:
    """Code blocks and lists of the text; none of its characters is hidden."""
    code = list(_code(text, paragraphs))
    held = {start for start, _ in code}
    lists = tuple(tuple(places) for block in paragraphs if block.start not in held for places in _items(text, block))
    return DocumentMarkup((), tuple(code), lists)


def block_markup(
    text: str, blocks: Sequence[Block], marks: Iterable[Span], fence: re.Pattern[str] | None = None
) -> DocumentMarkup:
    """Code and lists of a text whose own format says where they are; hidden are `marks` and the lines of a `fence`."""
    code = tuple((block.start, block.end) for block in blocks if block.kind == "code")
    lists = tuple(tuple(places) for block in blocks if block.kind == "list" for places in _items(text, block))
    fences = (span for start, end in code for span in _ends(text, start, end, fence)) if fence else ()
    return DocumentMarkup(tuple(apart([*fences, *marks])), code, lists)


def emphasis(text: str, blocks: Sequence[Block], *, low_lines: bool = False) -> Iterator[Span]:
    """The asterisks around words outside of code, of AsciiDoc also the low lines; none in the midst of a word."""
    for block in blocks:
        if block.kind in ("code", "heading"):
            continue
        code = [match.span() for match in _TICKS.finditer(text, block.start, block.end)]
        for pattern in (_STARS, _LOW_LINES)[: 1 + low_lines]:
            for match in pattern.finditer(text, block.start, block.end):
                inside = any(a < match.end() and match.start() < b for a, b in code)
                if not inside and not match[2][-1].isspace():
                    yield match.start(), match.end(1)
                    yield match.start() + len(match[1]) + len(match[2]), match.end()


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Lines with a word, without the blanks behind it."""
    for line in _LINE.finditer(text, start, end):
        if words := line[0].rstrip():
            yield line.start(), line.start() + len(words)


def _ends(text: str, start: int, end: int, fence: re.Pattern[str]) -> Iterator[Span]:
    """The first and last line of text[start:end], where they are fences."""
    lines = list(_lines(text, start, end))
    for a, b in dict.fromkeys((lines[0], lines[-1])) if lines else ():
        if fence.match(text[a:b].strip()):
            yield a, b


def _code(text: str, paragraphs: Sequence[Block]) -> Iterator[Span]:
    """Paragraphs whose lines are all far indented, and what stands between two fences, in order."""
    opened, fence = -1, ""
    for block in paragraphs:
        if opened < 0 and _indented(text, block):
            yield block.start, block.end
            continue
        for start, end in _lines(text, block.start, block.end):
            mark = _FENCE.match(text, start, end)
            if mark is None:
                continue
            if opened < 0:
                opened, fence = mark.start(1), mark[1]
            elif mark[1].startswith(fence) and mark.end() == end:
                yield opened, end
                opened = -1


def _indented(text: str, block: Block) -> bool:
    start = text.rfind("\n", 0, block.start) + 1
    lines = [text[start : block.start] + text[block.start : block.end].split("\n", 1)[0]]
    lines += text[block.start : block.end].split("\n")[1:]
    return all(line.startswith(_INDENTED) for line in lines)


def _items(text: str, block: Block) -> Iterator[list[int]]:
    starts = [end - len(text[start:end].lstrip())
              for start, end in _lines(text, block.start, block.end) if _ITEM.match(text, start, end)]
    if len(starts) > 1:
        yield [*starts, block.end]


BINARY_CURE = "save it as UTF-8 text, or exclude it: vouch source set NAME --exclude PATTERN"
BINARY = "holds bytes of value 0, which no text has: it may be a binary file, or text in UTF-16"
MOST_TITLE = 200                        # characters
_MOST_TITLE_LINE = 80
_STOPS = ".!?…:;,。！？｡：、"
_NO_TITLE = re.compile(r"[:=@\t|]\s|[=@\t|]|://|\A\d{1,3}[.)]\s|\S {3,}\S")
_UNDER = re.compile(r"([=~^*+-])\1{2,200}+")
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")


def refuse_empty(data: bytes | str) -> None:
    """Raises Unreadable for a file of a format in which even a document without words has bytes."""
    if not data.strip():
        raise Unreadable(EMPTY, cure="copy it there again, or exclude it")


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
        raise Unreadable(BINARY, cure=BINARY_CURE)
    return text


def _older(data: bytes, encoding: str | None, at: int) -> str:
    if b"\0" in data:
        raise Unreadable(BINARY, cure=BINARY_CURE)
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
