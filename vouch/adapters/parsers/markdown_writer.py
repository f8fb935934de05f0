"""Writes the Markdown of a document that is none, and notes its blocks: what a cell or title says forges no structure.

The blocks are noted as they are written and not found again in the text. What
reads the text later by its lines (sentences, rows) is kept from mistaking words
for structure by a backslash before marks that stand first on a line.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vouch.adapters.parsers.text import MOST_TITLE, readable
from vouch.documents.document import Block, BlockKind, Parsed
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
        self._items: list[str] = []

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
                self._write(kind, _kept(piece.strip()))

    def item(self, text: str, depth: int = 0, mark: str = "-") -> None:
        """An item of a list; those that follow each other make one list."""
        words = one_line(text)
        if words:
            self._items.append(f"{'  ' * min(depth, 8)}{mark} {_kept(words)}")

    def code(self, text: str, language: str = "") -> None:
        text = text.strip("\n")
        if text.strip():
            fence = "`" * (max((len(m[0]) for m in _FENCES.finditer(text)), default=2) + 1)
            self._write("code", f"{fence}{language}\n{text}\n{fence}")

    def markdown(self, text: str) -> None:
        """Text that is Markdown already; a fence left open in it ends with it."""
        from vouch.adapters.parsers.markdown import markdown_blocks

        text = text.strip("\n")
        if text.strip():
            start = self._place(readable(text))
            blocks = markdown_blocks(self._parts[-1])
            moved = (replace(b, start=b.start + start, end=b.end + start, page=self.page) for b in blocks)
            self._blocks.extend(moved)

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """The first row is the header. A row too wide to be read as one is a list; the table goes on after it."""
        every = iter(rows)
        header = next(every, None)
        if header is None:
            return
        head, held, length, said = f"{_row(header)}\n|{'-|' * len(header)}", list[str](), 0, False
        for row in every:
            line = _row(row)
            if len(row) > 1 and len(head) + len(line) > _WIDE:
                self._rows(head, held)
                self._record(header, row)
                length, said = 0, True
            else:
                held.append(line)
                length += len(line) + 1
                self._bound(length)
        if held or not said:
            self._write("table", "\n".join([head, *held]))

    def parsed(self, title: str = "", narrowed: frozenset[str] | None = None) -> Parsed:
        """The document; without a `title` it is the first heading of the first level."""
        self._end_list()
        first = next((b.title for b in self._blocks if b.kind == "heading" and b.level == 1), "")
        return Parsed("".join(self._parts), one_line(title) or first, tuple(self._blocks), narrowed)

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
        if self._items:
            text, self._items = "\n".join(self._items), []
            self._write("list", text)

    def _write(self, kind: BlockKind, text: str, level: int = 0, title: str = "") -> None:
        start = self._place(readable(text))
        self._blocks.append(Block(kind, start, start + len(self._parts[-1]), level, title, self.page))

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


def _kept(words: str) -> str:
    """Without marks that would make headings, rows or code of the lines they stand first on."""
    return _FORGED.sub(lambda match: match[0] + "\\", words)


def _row(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {one_line(cell).replace('|', _BAR)} |" for cell in cells)
