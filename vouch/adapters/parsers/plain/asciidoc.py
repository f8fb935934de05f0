"""AsciiDoc: the text stays as it is, but that items get their numbers; its structure is found by its lines.

There is no library for Python that is kept and small. Attributes and comments
lie in no block; what is included from other files is not there.
"""

import re
from collections.abc import Iterator

from vouch.adapters.parsers.narrowing.front_matter import split_front_matter
from vouch.adapters.parsers.plain.auto_numbers import with_dot_numbers
from vouch.adapters.parsers.plain.text import MOST_TITLE, block_markup, decode, emphasis
from vouch.documents.document import Block, BlockKind, Content, Parsed

_LINE = re.compile(r"[^\n]*\n?")
_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"(?:-{4,}|\.{4,}|`{3,}|\+{4,}|/{4,}|[|,:!]={3,})[a-z]*\Z")
_FRAME = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)\Z")     # around text that is read as any other
_ASIDE = re.compile(r":[\w!][\w!-]*:(?:[ \t]|\Z)|\[[^\]]*\]\Z|//(?!/)|(?:include|ifdef|ifndef|ifeval|endif)::")
_ITEM = re.compile(r"[ \t]*(?:\*{1,5}|-|\.{1,5}|\d{1,4}\.)[ \t]+\S")
_UNDER = re.compile(r"([=~^+-])\1{2,}\Z")
_UNDER_LEVELS = "=-~^+"
_MARKS = re.compile(r"[*_`#]{1,2}(?=\S)|(?<=\S)[*_`#]{1,2}|\[\[[^\]]{0,200}\]\]")


class AsciidocParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        front = split_front_matter(text)
        text = with_dot_numbers(text, front.end, list(_Finder(text).blocks(front.end)))
        blocks = tuple(_Finder(text).blocks(front.end))
        markup = block_markup(text, blocks, emphasis(text, blocks, low_lines=True), _FENCE)
        first = next((b.title for b in blocks if b.kind == "heading" and b.level == 1), "")
        return Parsed(text, front.title or first, blocks, front.narrowed, markup, owners=front.owners)


class _Finder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._held: tuple[int, int, BlockKind] | None = None    # lines of one block so far
        self._lines_held = 0

    def blocks(self, start: int) -> Iterator[Block]:
        fence, opened = "", 0
        for match in _LINE.finditer(self._text, start):
            if not match[0]:                # the end of the text
                break
            line, at = match[0].rstrip(), match.start()
            if fence:
                if line == fence:
                    yield from self._closed(fence, opened, match.end())
                    fence = ""
                continue
            heading = self._heading(line, at)
            if heading:
                yield heading
            elif _FENCE.match(line):
                yield from self._end()
                fence, opened = (line[:3] if line.startswith("```") else line), at
            elif not line or _FRAME.match(line) or _ASIDE.match(line):
                yield from self._end()
            else:
                yield from self._take(line, at)
        if fence:
            yield from self._closed(fence, opened, len(self._text))
        yield from self._end()

    def _heading(self, line: str, at: int) -> Block | None:
        """The heading that the line is, or makes of the line before it."""
        match = _HEADING.match(line)
        if match and self._held is None:
            return _heading(at, at + len(line), len(match[1]), match[2])
        under = _UNDER.match(line)
        if under and self._held and self._lines_held == 1:
            start, end, _ = self._held
            if abs(len(line) - (end - start)) <= 1:
                heading = _heading(start, at + len(line), _UNDER_LEVELS.index(under[1]) + 1, self._text[start:end])
                if heading:
                    self._held = None
                return heading
        return None

    def _take(self, line: str, at: int) -> Iterator[Block]:
        item = bool(_ITEM.match(line))
        if self._held and item and self._held[2] != "list":
            yield from self._end()
        start, kind = (self._held[0], self._held[2]) if self._held else (at, "list" if item else "paragraph")
        self._lines_held = self._lines_held + 1 if self._held else 1
        self._held = (start, at + len(line), kind)

    def _end(self) -> Iterator[Block]:
        if self._held:
            start, end, kind = self._held
            self._held = None
            start += len(self._text[start:end]) - len(self._text[start:end].lstrip())
            yield Block(kind, start, end)

    def _closed(self, fence: str, start: int, end: int) -> Iterator[Block]:
        if fence.startswith("/"):
            return                      # a comment
        kind: BlockKind = "table" if fence.endswith("===") else "code"
        end = start + len(self._text[start:end].rstrip())
        yield Block(kind, start, end)


def _heading(start: int, end: int, level: int, words: str) -> Block | None:
    title = " ".join(_MARKS.sub("", words).split()).rstrip("= ")
    return Block("heading", start, end, level, title) if title and len(title) <= MOST_TITLE else None
