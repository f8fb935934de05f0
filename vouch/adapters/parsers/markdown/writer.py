"""Writes the Markdown of a document that is none, and notes its blocks: what a cell or title says forges no structure.

Blocks and marks are noted as they are written and not found again in the text.
What reads the text later by its lines (sentences, rows) is kept from mistaking
words for structure by a backslash before marks that stand first on a line; it
is not shown. Every other sign of the document's words is one of its words.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vouch.adapters.parsers.plain.text import MOST_TITLE, readable
from vouch.documents.document import Block, BlockKind, Parsed
from vouch.documents.text.markup import DocumentMarkup
from vouch.errors import Unreadable

MOST_TEXT = 20_000_000                  # characters
_WIDE = 1_000                           # characters of header and row; beyond it a row is written as a list
_BAR = r"\|"                            # inside a cell
_FORGED = re.compile(r"^([ \t>]*)(?=\||#{1,6}(?:\s|$)|`{3,}|~{3,})", re.MULTILINE)
_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_FENCES = re.compile(r"`{3,}")


class MarkdownWriter:
    """`page` is noted with every block written while it is set. Raises Unreadable once the text grows too long."""

    def __init__(self) -> None:
        self.page: int | None = None
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._items: list[tuple[int, str, str]] = []     # depth, mark and words
        self._noted: list[tuple[int, DocumentMarkup]] = []
        self._begins = 0

    def begin(self) -> None:
        """What was written up to here the format says of the document; what follows are its author's own words."""
        self._end_list()
        self._begins = self._length

    def heading(self, level: int, title: str) -> None:
        """A title that is too long for one is written as a paragraph."""
        title = one_line(title)
        if not title:
            return
        if len(title) > MOST_TITLE:
            self.paragraph(title)
            return
        level = min(max(level, 1), 6)
        self._write("heading", f"{'#' * level} {title}", level, title)

    def paragraph(self, text: str, kind: BlockKind = "paragraph") -> None:
        """Lines stay lines; blank ones part it."""
        for piece in _BLANK.split(text):
            if piece.strip():
                words, ours = _kept(piece.strip())
                start = self._write(kind, words)
                self._note(DocumentMarkup(hidden=tuple((at, at + 1) for at in ours)), start)

    def quote(self, lines: Sequence[str]) -> None:
        """Words of somebody else: a sign before each line, which is not shown."""
        kept = [_kept(line.strip()) for line in lines]
        hidden, at = list[tuple[int, int]](), 0
        for words, ours in kept:
            hidden += [(at, at + 2), *((at + 2 + place, at + 3 + place) for place in ours)]
            at += len(words) + 3
        self._note(DocumentMarkup(hidden=tuple(hidden)), self._write("quote", "\n".join(f"> {w}" for w, _ in kept)))

    def silent(self, text: str) -> None:
        """A paragraph to be found by, and not to be quoted."""
        start = self._write("paragraph", _kept(text.strip())[0])
        self._note(DocumentMarkup(hidden=((0, len(self._parts[-1])),)), start)

    def item(self, text: str, depth: int = 0, mark: str = "-") -> None:
        """An item of a list; those that follow each other make one list."""
        words = one_line(text)
        if words:
            self._items.append((min(depth, 8), mark, words))

    def code(self, text: str, language: str = "") -> None:
        text = text.strip("\n")
        if text.strip():
            fence = "`" * (max((len(m[0]) for m in _FENCES.finditer(text)), default=2) + 1)
            block = f"{fence}{language}\n{text}\n{fence}"
            self._note(DocumentMarkup(code=((0, len(block)),)), self._write("code", block))

    def markdown(self, text: str) -> None:
        """Text that is Markdown already; a fence left open in it ends with it."""
        from vouch.adapters.parsers.markdown.parser import read_markdown

        text = text.strip("\n")
        if text.strip():
            start = self._place(readable(text))
            blocks, markup = read_markdown(self._parts[-1])
            self._note(markup, start)
            moved = (replace(b, start=b.start + start, end=b.end + start, page=self.page) for b in blocks)
            self._blocks.extend(moved)

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """The first row is the header. A row too wide to be read as one is a list; the table goes on after it."""
        every = iter(rows)
        header = next(every, None)
        if header is None:
            return
        head, lines, length, recorded = f"{_row(header)}\n|{'-|' * len(header)}", list[str](), 0, False
        for row in every:
            line = _row(row)
            if len(row) > 1 and len(head) + len(line) > _WIDE:
                self._rows(head, lines)
                self._record(header, row)
                length, recorded = 0, True
            else:
                lines.append(line)
                length += len(line) + 1
                self._bound(length)
        if lines or not recorded:
            self._write("table", "\n".join([head, *lines]))

    def parsed(self, title: str = "", narrowed: frozenset[str] | None = None) -> Parsed:
        """The document; without a `title` it is the first heading of the first level."""
        self._end_list()
        first = next((b.title for b in self._blocks if b.kind == "heading" and b.level == 1), "")
        named = one_line(title) or first
        return Parsed("".join(self._parts), named, tuple(self._blocks), narrowed, self._gathered(), self._begins)

    def _rows(self, head: str, rows: list[str]) -> None:
        if rows:
            self._write("table", "\n".join([head, *rows]))
            rows.clear()

    def _record(self, names: Sequence[str], cells: Sequence[str]) -> None:
        """A row too wide to be read as one: its first cell leads, the others follow by name."""
        named = [(names[n] if n < len(names) else "", cell) for n, cell in enumerate(cells) if cell.strip()]
        if not named:
            return
        self.paragraph(f"{one_line(named[0][1])}:")
        for name, cell in named:
            self.item(f"{one_line(name)}: {cell}" if name.strip() else cell)
        self._end_list()

    def _end_list(self) -> None:
        if not self._items:
            return
        items, self._items = self._items, []
        least = min(depth for depth, _, _ in items)
        lines, starts, hidden, at = list[str](), list[int](), list[tuple[int, int]](), 0
        for depth, mark, item_text in items:
            words, ours = _kept(item_text)
            before = f"{'  ' * depth}{mark} "
            if depth == least:
                starts.append(at + 2 * depth)
            hidden += [(at + len(before) + offset, at + len(before) + offset + 1) for offset in ours]
            lines.append(before + words)
            at += len(lines[-1]) + 1
        start = self._write("list", "\n".join(lines))
        self._note(DocumentMarkup(tuple(hidden), lists=((*starts, at - 1),)), start)

    def _write(self, kind: BlockKind, text: str, level: int = 0, title: str = "") -> int:
        """Where the block begins."""
        start = self._place(readable(text))
        self._blocks.append(Block(kind, start, start + len(self._parts[-1]), level, title, self.page))
        return start

    def _note(self, markup: DocumentMarkup, start: int) -> None:
        """Marks of what was written at `start`."""
        self._noted.append((start, markup))

    def _gathered(self) -> DocumentMarkup:
        """All that was noted, counted from the beginning of the text."""
        return DocumentMarkup(
            tuple((a + start, b + start) for start, found in self._noted for a, b in found.hidden),
            tuple((a + start, b + start) for start, found in self._noted for a, b in found.code),
            tuple(tuple(place + start for place in places) for start, found in self._noted for places in found.lists),
        )

    def _place(self, text: str) -> int:
        """Where `text` begins, after a blank line; a list before it is ended."""
        self._end_list()
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        self._bound(0)
        return start

    def _bound(self, more: int) -> None:
        if self._length + more > MOST_TEXT:
            raise Unreadable(f"holds more than {MOST_TEXT:,} characters", cure="split it")


def one_line(text: str) -> str:
    return readable(" ".join(text.split()))


def _kept(words: str) -> tuple[str, list[int]]:
    """With a backslash before marks that would make headings, rows or code of their lines, and where those stand."""
    places = [match.end() for match in _FORGED.finditer(words)]
    return _FORGED.sub(lambda match: match[0] + "\\", words), [place + n for n, place in enumerate(places)]


def _row(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {one_line(cell).replace('|', _BAR)} |" for cell in cells)
