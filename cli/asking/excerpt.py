"""What `vouch search` shows of a passage: its beginning, or the line that tells why it was found."""

from typing import TYPE_CHECKING

from vouch.retrieval.named_rows import codes, first_cell

if TYPE_CHECKING:
    from vouch.ports.models import Analyse

_SHOWN = 200                            # characters


def excerpt(text: str, searched: str, terms: "Analyse") -> str:
    """Some words of `text` on one line, from the row on that `searched` names by its first cell.

    Without one, from the line on that has more terms of `searched` than any
    line before it, unless the beginning has as many.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    first = _first_line(lines, searched, terms)
    return ("… " if first else "") + " ".join(lines[first:])[:_SHOWN]


def _first_line(lines: list[str], searched: str, terms: "Analyse") -> int:
    if (asked := codes(searched)) and (rows := [n for n, line in enumerate(lines) if first_cell(line) in asked]):
        return rows[0]
    wanted = set(terms(searched))
    held = [len(wanted.intersection(terms(line))) for line in lines]
    most = max(held, default=0)
    if len(wanted.intersection(terms(" ".join(lines)[:_SHOWN]))) >= most:
        return 0
    return held.index(most)
