"""A document's passages as one text, with the quoted words marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Part:
    """`apart`: words that are not shown stand before it."""

    place: str
    section: tuple[str, ...]
    flagged: bool
    apart: bool
    pieces: tuple[Piece, ...]


def parts(passages: Sequence[Mapping[str, Any]], quote: tuple[int, int]) -> list[Part]:
    """Of passages in document order, each character once; what lies within `quote` is marked."""
    made, reached = [], None
    for passage in passages:
        start, end = passage["characters"]
        begin = start if reached is None else max(start, reached)
        text = passage["text"][begin - start :]
        if text:
            apart = reached is not None and begin > reached
            made.append(Part(passage["place"], tuple(passage["section"]), passage["flagged"], apart,
                             _pieces(text, begin, quote)))
        reached = max(end, reached or 0)
    return made


def _pieces(text: str, begin: int, quote: tuple[int, int]) -> tuple[Piece, ...]:
    low, high = (min(max(at - begin, 0), len(text)) for at in quote)
    cut = ((text[:low], False), (text[low:high], True), (text[high:], False))
    return tuple(Piece(words, marked) for words, marked in cut if words)
