"""Packs the pieces of a section into chunks."""

import re
from collections.abc import Iterator, Sequence

from vouch.chunking.pieces import LONGEST, TOPIC, Piece, Pieces
from vouch.chunking.topics import turns
from vouch.documents.document import Block
from vouch.documents.text.sentences import sentence_spans
from vouch.documents.text.span import Span

_ENOUGH = 1 / 3             # of the room: so much filled, a chunk takes in no further block; see `_pack`
_DOUBT = 4                  # sums of tokens this close to the limit are counted exactly
_STRAY = re.compile(r"(?:\s|[,;)\]}»”’]|[.:!?…]+(?=\s|[,;)\]}»”’]|\Z))+")


class Packer:
    """Packs the blocks of one section into chunks of at most `room` tokens, which repeat at most `overlap`."""

    def __init__(self, text: str, pieces: Pieces, room: int, overlap: int, by_topic: bool) -> None:
        self._text = text
        self._pieces = pieces
        self._room = room
        self._overlap = min(overlap, room // 3)
        self._by_topic = by_topic
        self._turns: frozenset[int] = frozenset()       # where another subject begins

    def chunks(self, blocks: Sequence[Block]) -> Iterator[Span]:
        """Ranges in order, without blanks or stray punctuation at the start, each with a word in it."""
        pieces = [piece for block in blocks for piece in self._pieces.of(block)]
        if self._by_topic:
            texts, sizes = [self._text[p.start : p.end] for p in pieces], [p.tokens for p in pieces]
            self._turns = frozenset(pieces[n].start for n in turns(texts, sizes, self._room * TOPIC))
        for start, end in self._pack(pieces):
            stray = _STRAY.match(self._text, start, end)
            start = stray.end() if stray else start
            if any(c.isalnum() for c in self._text[start:end]):
                yield start, end

    def _pack(self, pieces: list[Piece]) -> Iterator[Span]:
        """Small neighbors are merged, but a chunk with enough in it stays alone, and repeats nothing.

        Filling every chunk to the brim would make each edit touch more text and
        move more boundaries: when it was tried over the 421 commits of a real
        handbook, a twelfth more of the changed documents' chunks was embedded
        anew.
        """
        start, last, total = -1, None, 0
        for piece in pieces:
            total += self._between(last, piece)
            full = self._is_enough(total, piece) and not self._announces(last)
            if last is not None and (full or not self._joins(start, piece, total + piece.tokens)):
                yield start, last.end
                start, total = (piece.start, 0) if full else self._overlap_start(start, last, piece)
            elif last is None:
                start, total = piece.start, 0
            last, total = piece, total + piece.tokens
        if last is not None:
            yield start, last.end

    def _is_enough(self, total: int, following: Piece) -> bool:
        if self._by_topic:
            return following.start in self._turns
        return total >= self._room * _ENOUGH and following.whole

    def _between(self, last: Piece | None, piece: Piece) -> int:
        """Tokens of what stands between the two and belongs to neither, such as a rule."""
        if last is None or not self._text[last.end : piece.start].strip():
            return 0
        return self._pieces.count(last.end, piece.start)

    def _announces(self, piece: Piece | None) -> bool:
        return piece is not None and self._text.endswith((":", ":**"), piece.start, piece.end)

    def _joins(self, start: int, piece: Piece, total: int) -> bool:
        room = self._pieces.left(start)
        if total > room or piece.end - start > room * LONGEST:
            return False
        return total <= room - _DOUBT or self._pieces.count(start, piece.end) <= room

    def _overlap_start(self, start: int, last: Piece, following: Piece) -> tuple[int, int]:
        """Where the next chunk begins so that it repeats the last sentences before it, and their tokens."""
        best, total = following.start, 0
        if not last.prose:
            return best, total
        for sentence, _ in reversed(sentence_spans(self._text[last.start : last.end])):
            at = last.start + sentence
            repeated = self._pieces.count(at, last.end)
            total_here = repeated + following.tokens
            fits = repeated <= self._overlap and self._joins(at, following, total_here)
            if at <= start or not fits:
                break
            best, total = at, repeated
        return best, total
