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
    """`heading`: the section's, where one begins."""

    heading: str
    flagged: bool
    pieces: tuple[Piece, ...]


def parts(passages: Sequence[Mapping[str, Any]], quote: tuple[int, int]) -> list[Part]:
    """Of passages in document order, each character once; what lies within `quote` is marked."""
    made: list[Part] = []
    reached, section = 0, None
    for passage in passages:
        start, end = passage["characters"]
        begin = max(start, reached)
        text = passage["text"][begin - start :]
        if text:
            heading = passage["section"][-1] if passage["section"] and passage["section"] != section else ""
            made.append(Part(heading, passage["flagged"], _pieces(text, begin, quote)))
        reached, section = max(end, reached), passage["section"]
    return made


def _pieces(text: str, begin: int, quote: tuple[int, int]) -> tuple[Piece, ...]:
    low, high = (min(max(at - begin, 0), len(text)) for at in quote)
    cut = ((text[:low], False), (text[low:high], True), (text[high:], False))
    return tuple(Piece(words, marked) for words, marked in cut if words)
