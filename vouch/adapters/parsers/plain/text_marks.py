"""What plain text shows of its form by its lines alone: code in fences or far indented, and lists. It has no marks."""

import re
from collections.abc import Iterable, Iterator, Sequence

from vouch.adapters.parsers.markdown.inline_marks import apart
from vouch.documents.document import Block
from vouch.documents.markup import DocumentMarkup, Span

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
