"""Lines of a PDF page in larger letters than the rest: a blank line parts each from the text around it.

A PDF knows no headings and no paragraphs, only letters in places. Without the
blank line a heading would be read as the beginning of the sentence below it.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

_LARGER = 1.15                          # times the size of most letters of the page
_LEAST_LETTERS = 3                      # fewer are an initial or the number of a page
_LONGEST = 200                          # characters

Piece = tuple[str, float]
"""Some text, and the height of its letters."""


def page_text(page: Any) -> str:
    """The text of a page of pypdf, as it extracts it, but for the blank lines beside headings."""
    pieces: list[Piece] = []

    def visited(text: str, outer: Sequence[float], inner: Sequence[float], _: Any, size: float) -> None:
        pieces.append((text, _height(outer) * _height(inner) * size))

    text: str = page.extract_text(visitor_text=visited)
    return parted(pieces) if "".join(piece for piece, _ in pieces) == text else text


def _height(matrix: Sequence[float]) -> float:
    """How much it makes what stands upright larger, however it is turned."""
    return math.hypot(matrix[2], matrix[3])


def parted(pieces: Sequence[Piece]) -> str:
    """The text of the pieces, with a blank line where a heading begins or ends."""
    lines = list(_lines(pieces))
    usual = _most_frequent(sum((sizes for _, sizes in lines), Counter[float]()))
    headings = [_heading(words, sizes, usual) for words, sizes in lines]
    text = [lines[0][0]]
    for (above, below), (before, after) in zip(pairwise(lines), pairwise(headings), strict=True):
        if before != after and above[0].strip() and below[0].strip():
            text.append("")
        text.append(below[0])
    return "\n".join(text)


def _lines(pieces: Sequence[Piece]) -> Iterator[tuple[str, Counter[float]]]:
    """Each line, and how many of its letters have each size."""
    line, sizes = "", Counter[float]()
    for text, size in pieces:
        for n, words in enumerate(text.split("\n")):
            if n:
                yield line, sizes
                line, sizes = "", Counter[float]()
            line += words
            if letters := sum(map(str.isalnum, words)):
                sizes[round(size, 1)] += letters
    yield line, sizes


def _most_frequent(sizes: Counter[float]) -> float:
    """The smallest of them, where several are."""
    return min(sizes, key=lambda size: (-sizes[size], size), default=0.0)


def _heading(words: str, sizes: Counter[float], usual: float) -> float:
    """The size of a heading's letters, 0 for any other line."""
    size = _most_frequent(sizes)
    return size if size >= _LARGER * usual and sizes.total() >= _LEAST_LETTERS and len(words) <= _LONGEST else 0.0
