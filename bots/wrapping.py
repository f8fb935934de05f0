"""Text on a grid of terminal cells: how wide it is, where its lines break, and how they are meant."""

import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

Tone = Literal["", "strong", "faint", "good", "warning", "bad"]
_AFTER = ("/\\", ",:;@_-.")            # where a word that is too long is parted, if it can be: paths, tags, globs


class Line(NamedTuple):
    """A line, or a piece of one, and how a terminal with colours shows it."""

    text: str
    tone: Tone = ""


def cells(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def wrap(text: str, width: int, first: str = "", rest: str = "", *, part_words: bool = False) -> list[str]:
    """One line of text as lines of at most `width` cells, the first indented by `first`, others by `rest`.

    Breaks are at blanks and between wide characters. A longer word, such as an
    address, stays whole and sticks out, unless words may be parted.
    """
    lines, line, blank = [], first, True
    for piece in _pieces(text.replace("\t", "    ")):
        if not blank and cells(line) + cells(piece.rstrip(" ")) > width:
            lines.append(line.rstrip())
            line, blank = rest, True
            piece = piece.lstrip(" ")
        if part_words and blank and cells(line) >= width:               # it begins with more blanks than there is room
            line = rest
        while part_words and cells(piece.rstrip(" ")) > (room := max(width - cells(line), 1)):
            cut = _cut(piece, room)
            if cells(piece[:cut]) > room and cells(line) > cells(rest):     # not even a wide character fits beside it
                lines.append(line)
                line = rest
                continue
            lines.append(line + piece[:cut])
            line, piece = rest, piece[cut:]
        line, blank = line + piece, blank and not piece.strip()
    return [*lines, line.rstrip()]


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _pieces(text: str) -> list[str]:
    """Words with the blanks after them; of words in wide characters each character with the stops after it."""
    pieces: list[str] = []
    for word in text.split(" "):
        if word.isascii() or not any(_cells(char) == 2 for char in word):
            pieces.append(word + " ")
            continue
        parts: list[str] = []
        for char in word:
            stop = unicodedata.category(char) in ("Po", "Pe", "Pf")
            alike = parts and _cells(char) < 2 and _cells(parts[-1][-1]) < 2
            if parts and (stop or alike):
                parts[-1] += char
            else:
                parts.append(char)
        pieces += [*parts[:-1], parts[-1] + " "]
    return pieces


def _cut(word: str, room: int) -> int:
    """How many characters of a word that is too long still fit, up to the last place where it may be parted."""
    fits = 0
    while fits < len(word) and cells(word[: fits + 1]) <= room:
        fits += 1
    for signs in _AFTER:
        seam = max(word.rfind(sign, 0, fits) for sign in signs) + 1
        if seam > fits // 3:
            return seam
    return max(fits, 1)
