"""reStructuredText: the text stays as it is, but that items get their numbers; its structure is found by its lines.

docutils knows more, but not the directives and roles of Sphinx, which most
such documents use, nor the lines of most of what it finds.
"""

import re
from collections.abc import Iterator

from vouch.adapters.parsers.narrowing.front_matter import split_front_matter
from vouch.adapters.parsers.plain.auto_numbers import with_hash_numbers
from vouch.adapters.parsers.plain.text import MOST_TITLE, block_markup, decode, emphasis, paragraphs
from vouch.documents.document import Block, BlockKind, Content, Parsed

_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*\Z")
_ITEM = re.compile(r"(?:[-*+•]|(?:\d{1,4}|#|[a-zA-Z])[.)]|\((?:\d{1,4}|#|[a-zA-Z])\))[ \t]")
_GRID = re.compile(r"\+[-=+]{3,}")
_SIMPLE = re.compile(r"={2,}(?:[ \t]+={2,})+[ \t]*\Z")
_CODE = re.compile(r"\.\.[ \t]+(?:code(?:-block)?|sourcecode|parsed-literal|highlight|productionlist|prompt|doctest)::")
_DIRECTIVE = re.compile(r"[^\n]*+(?:\n[ \t]+:[^\n]*+)*+")    # with its options
_COMMENT = re.compile(r"\.\.(?:[ \t]++(?!\[[^\]\n]{1,100}\]|_|\||[\w.+:-]{1,80}::)[^\n]*+)?\Z")
_INDENTED = re.compile(r"[^\n]*+(?:\n[ \t]++[^\n]*+)*+")
_MARKS = re.compile(r"(?<!\\)(?:``?|\*\*?|:[\w:-]{1,40}:(?=`)|`_{1,2}|\|)")
_TARGET = re.compile(r"[ \t]<[^<>]{1,500}>(?=`)")


class RestructuredParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        front = split_front_matter(text)
        text = with_hash_numbers(text, front.end, list(_Finder(text).blocks(front.end)))
        finder = _Finder(text)
        blocks = tuple(finder.blocks(front.end))
        markup = block_markup(text, blocks, [*finder.directives, *emphasis(text, blocks)])
        first = next((b.title for b in blocks if b.kind == "heading" and b.level == 1), "")
        return Parsed(text, front.title or first, blocks, front.narrowed, markup, owners=front.owners)


class _Finder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._levels: list[tuple[str, bool]] = []       # mark, and whether it stands above the title too
        self.directives: list[tuple[int, int]] = []     # that announce code, and comments: in no block, and not shown
        self._in_code = False           # what is indented from here on is code
        self._in_comment = False        # or a comment

    def blocks(self, start: int) -> Iterator[Block]:
        for run in paragraphs(self._text, start, len(self._text)):
            yield from self._run(run.start, run.end)

    def _run(self, start: int, end: int) -> Iterator[Block]:
        """The blocks of lines that no blank one parts."""
        line = self._text.rfind("\n", 0, start) + 1
        if self._in_code and start > line:
            yield Block("code", line, end)
            return
        if start > line and self._in_comment:
            self.directives.append((line, end))
            return
        if start == line and _COMMENT.match(self._lines(start, end)[0]):
            stop = _INDENTED.match(self._text, start, end).end()    # type: ignore[union-attr]     # it matches anything
            self.directives.append((start, stop))
            self._in_code, self._in_comment = False, self._text[start:stop].strip() != ".."
            if stop < end:
                yield from self._run(_skip(self._text, stop, end), end)
            return
        self._in_comment = False
        while title := self._title(self._lines(start, end), indented=start > line):
            length, words, level = title
            yield Block("heading", start, start + length, level, words)
            self._in_code = False
            start = line = _skip(self._text, start + length, end)
            if start == end:
                return
        first = self._lines(start, end)[0]
        if _CODE.match(first) and _DIRECTIVE.fullmatch(self._text, start, end):
            self.directives.append((start, end))
        else:
            yield Block(_kind(first), start, end)
        self._in_code = bool(_CODE.match(first)) or (
            self._text.endswith("::", start, end) and not first.startswith(".. ")
        )

    def _lines(self, start: int, end: int) -> list[str]:
        """The first three."""
        found: list[str] = []
        while start <= end and len(found) < 3:
            stop = self._text.find("\n", start, end)
            found.append(self._text[start : stop if stop >= 0 else end])
            start = stop + 1 if stop >= 0 else end + 1
        return found

    def _title(self, lines: list[str], *, indented: bool) -> tuple[int, str, int] | None:
        """Characters, words and level of the title that the lines begin with; an indented one has none."""
        if indented:
            return None
        if len(lines) > 2 and _ADORNED.match(lines[0]) and lines[0].rstrip() == lines[2].rstrip():
            mark, words, over = lines[0][0], lines[1], True
            length = len(lines[0]) + len(lines[1]) + len(lines[2]) + 2
        elif len(lines) > 1 and _ADORNED.match(lines[1]) and not _ADORNED.match(lines[0]):
            mark, words, over = lines[1][0], lines[0], False
            length = len(lines[0]) + len(lines[1]) + 1
        else:
            return None
        title = " ".join(_MARKS.sub("", _TARGET.sub("", words[: 10 * MOST_TITLE])).split())
        if not any(c.isalnum() for c in title) or len(title) > MOST_TITLE:
            return None
        if (mark, over) not in self._levels:
            self._levels.append((mark, over))
        level = min(self._levels.index((mark, over)) + 1, 6)
        return length, title, level


def _skip(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _kind(line: str) -> BlockKind:
    if _GRID.match(line) or _SIMPLE.match(line):
        return "table"
    return "list" if _ITEM.match(line) else "paragraph"
