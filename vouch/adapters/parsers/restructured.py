"""reStructuredText: the text stays as it is; its headings, lists, tables and code are found by their lines.

docutils knows more, but not the directives and roles of Sphinx, which most
such documents use, nor the lines of most of what it finds.
"""

import re
from collections.abc import Iterator

from vouch.adapters.parsers.front_matter import split_front_matter
from vouch.adapters.parsers.text import MOST_TITLE, decode, paragraphs
from vouch.documents.document import Block, BlockKind, Content, Parsed

_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*\Z")
_ITEM = re.compile(r"(?:[-*+•]|(?:\d{1,4}|#|[a-zA-Z])[.)]|\((?:\d{1,4}|#|[a-zA-Z])\))[ \t]")
_GRID = re.compile(r"\+[-=+]{3,}")
_SIMPLE = re.compile(r"={2,}(?:[ \t]+={2,})+[ \t]*\Z")
_CODE = re.compile(r"\.\.[ \t]+(?:code(?:-block)?|sourcecode|parsed-literal|highlight|productionlist|prompt|doctest)::")
_MARKS = re.compile(r"(?<!\\)(?:``?|\*\*?|:[\w:-]{1,40}:(?=`)|`_{1,2}|\|)")
_TARGET = re.compile(r"[ \t]<[^<>]{1,500}>(?=`)")


class RestructuredParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        front = split_front_matter(text)
        blocks = tuple(_Finder(text).blocks(front.end))
        first = next((b.title for b in blocks if b.kind == "heading" and b.level == 1), "")
        return Parsed(text, front.title or first, blocks, front.narrowed)


class _Finder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._levels: list[tuple[str, bool]] = []       # mark, and whether it stands above the title too
        self._in_code = False           # what is indented from here on is code

    def blocks(self, start: int) -> Iterator[Block]:
        for run in paragraphs(self._text, start, len(self._text)):
            yield from self._run(run.start, run.end)

    def _run(self, start: int, end: int) -> Iterator[Block]:
        """The blocks of lines that no blank one parts."""
        line = self._text.rfind("\n", 0, start) + 1
        words = self._text[start:end]
        if self._in_code and start > line:
            yield Block("code", line, end)
            return
        lines = words.split("\n", 3)
        if start == line or _ADORNED.match(lines[0]):
            title = self._title(lines)
            if title:
                length, block_title, level = title
                if len(block_title) <= MOST_TITLE:
                    yield Block("heading", start, start + length, level, block_title)
                    self._in_code = False
                    rest = _skip(self._text, start + length, end)
                    if rest < end:
                        yield from self._run(rest, end)
                    return
        yield Block(_kind(lines[0]), start, end)
        self._in_code = bool(_CODE.match(words)) or (words.endswith("::") and not words.startswith(".. "))

    def _title(self, lines: list[str]) -> tuple[int, str, int] | None:
        """Characters, words and level of the title that the lines begin with."""
        if len(lines) > 2 and _ADORNED.match(lines[0]) and lines[0].rstrip() == lines[2].rstrip():
            mark, words, over = lines[0][0], lines[1], True
            length = len(lines[0]) + len(lines[1]) + len(lines[2]) + 2
        elif len(lines) > 1 and _ADORNED.match(lines[1]) and not _ADORNED.match(lines[0]):
            mark, words, over = lines[1][0], lines[0], False
            length = len(lines[0]) + len(lines[1]) + 1
        else:
            return None
        if not any(c.isalnum() for c in words):
            return None
        if (mark, over) not in self._levels:
            self._levels.append((mark, over))
        level = min(self._levels.index((mark, over)) + 1, 6)
        return length, " ".join(_MARKS.sub("", _TARGET.sub("", words)).split()), level


def _skip(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _kind(line: str) -> BlockKind:
    if _GRID.match(line) or _SIMPLE.match(line):
        return "table"
    return "list" if _ITEM.match(line) else "paragraph"
