"""The pieces that chunks are packed from: the blocks of a section, cut where they are larger than a chunk may be."""

import math
import re
from dataclasses import dataclass

from vouch.chunking.cutting import cut, token_windows
from vouch.documents.chunk import MOST_HEADER_INPUT, passage_input
from vouch.documents.document import Block
from vouch.documents.text.sentences import sentence_spans
from vouch.documents.text.span import Span
from vouch.documents.text.tables import header_line
from vouch.ports.ingestion import Tokenizer

LONGEST = 32                # characters a chunk may have per token: a blob of letters can be one token
TOPIC = 1 / 6               # of the room: so much about one subject can be a chunk of its own
_RESERVED = 4               # a header is given so many parts of the room, whole ones; see `left`
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A range that is not cut further, and its tokens."""

    start: int
    end: int
    tokens: int
    prose: bool
    whole: bool             # a block of the document, not a part of one


class Pieces:
    """Cuts the blocks of one section, and knows what room is left for a chunk that begins at a place of it."""

    def __init__(self, text: str, tokenizer: Tokenizer, room: int, by_topic: bool) -> None:
        self._text = text
        self._tokenizer = tokenizer
        self._room = room
        self._by_topic = by_topic
        self._headers: dict[int, Span] = {}             # of cut tables, by where their rows begin

    def header(self, start: int) -> Span | None:
        """The header that a chunk carries which begins at `start`, once its block has been cut.

        None for one that begins inside a row.
        """
        return self._headers.get(start)

    def of(self, block: Block) -> list[Piece]:
        """In order; together they hold every word of the block."""
        prose = block.kind not in ("code", "table")
        tokens = self.count(block.start, block.end)
        if self._by_topic and block.kind == "paragraph" and tokens > self._room * TOPIC:
            cuts = cut(self._text, block, self._is_sentence, self._windows)
            return [Piece(start, end, self.count(start, end), prose, False) for start, end in cuts]
        if tokens <= self._room and block.end - block.start <= self._room * LONGEST:
            return [Piece(block.start, block.end, tokens, prose, True)]
        header = self._table_header(block)
        if header is not None:
            for line in _LINE.finditer(self._text, header[1], block.end):
                self._headers[line.end() - len(line[0].lstrip(" \t>"))] = header
        cuts = cut(self._text, block, self._fits, self._windows)
        return [Piece(start, end, self.count(start, end), prose, False) for start, end in cuts]

    def count(self, start: int, end: int) -> int:
        return self._tokenizer.count(passage_input(self._text[start:end]))

    def left(self, start: int) -> int:
        """Tokens that a chunk which begins at `start` may have besides the header it carries.

        What a header is given does not follow its length token by token: when a
        column is renamed, the table is still cut at the same places, and what
        begins inside a row is not embedded anew.
        """
        header = self._headers.get(start)
        if header is None or header[1] - header[0] > MOST_HEADER_INPUT:
            return self._room
        part = self._room // _RESERVED
        return self._room - math.ceil(self.count(*header) / part) * part

    def _table_header(self, block: Block) -> Span | None:
        """The header that the pieces of a table carry; none if it takes half of the room."""
        found = header_line(self._text, block.start, block.end) if block.kind == "table" else None
        if found is None or found[1] - found[0] > MOST_HEADER_INPUT:
            return found                # quoted with the rows, and not embedded with them
        return found if self.count(*found) <= self._room // 2 else None

    def _fits(self, start: int, end: int) -> bool:
        room = self.left(start)
        return end - start <= room * LONGEST and self.count(start, end) <= room

    def _is_sentence(self, start: int, end: int) -> bool:
        return len(sentence_spans(self._text[start:end])) <= 1 and self._fits(start, end)

    def _windows(self, text: str, start: int, end: int) -> list[Span]:
        room = self.left(start)
        tokens = [(start + a, start + b) for a, b in self._tokenizer.spans(text[start:end])]
        return token_windows(text, tokens, start, end, room, room * LONGEST)
