"""How a page marks the quotes of an answer in the text of their document."""

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
    page_parts: list[Part] = []
    reached, section = 0, None
    for passage in passages:
        start, end = passage["characters"]
        begin = max(start, reached)
        text = passage["text"][begin - start :]
        if text:
            heading = passage["section"][-1] if passage["section"] and passage["section"] != section else ""
            page_parts.append(Part(heading, passage["flagged"], _pieces(text, begin, quote)))
        reached, section = max(end, reached), passage["section"]
    return page_parts


@dataclass(frozen=True, slots=True)
class Around:
    """What a page shows of a document; `earlier` and `later` are passages to open next, where there are any."""

    passages: tuple[Mapping[str, Any], ...]
    earlier: str | None
    later: str | None


def around(passages: Sequence[Mapping[str, Any]], chunk_id: str, most: int) -> Around:
    """`most` on each side of a passage. Nothing lies between this page and those of `earlier` and `later`; they repeat
    nothing either where `passages` has `2 * most + 1` on that side."""
    at = next(place for place, one in enumerate(passages) if one["chunk_id"] == chunk_id)
    first, end = max(at - most, 0), at + most + 1
    earlier = passages[max(at - 2 * most - 1, 0)]["chunk_id"] if first > 0 else None
    later = passages[min(at + 2 * most + 1, len(passages) - 1)]["chunk_id"] if end < len(passages) else None
    return Around(tuple(passages[first:end]), earlier, later)


def _pieces(text: str, begin: int, quote: tuple[int, int]) -> tuple[Piece, ...]:
    low, high = (min(max(at - begin, 0), len(text)) for at in quote)
    cut = ((text[:low], False), (text[low:high], True), (text[high:], False))
    return tuple(Piece(words, marked) for words, marked in cut if words)
