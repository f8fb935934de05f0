"""Ranges of characters in a text: put in order, and looked up one after the other."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from vouch.documents.text.span import Span


def apart(spans: Iterable[Span], entities: Iterable[Span] = ()) -> list[Span]:
    """The same characters in order, as ranges that neither touch nor overlap; `entities` are ranges of their own."""
    found = _merged(spans)
    whole = [(a, b) for a, b in entities if not any(start < b and a < end for start, end in found)]
    return sorted([*found, *whole]) if whole else found


def _merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


class Blocks:
    """Blocks of a document, in order."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans

    def end_at(self, place: int) -> int | None:
        """The end of the block that holds the character, None if none does."""
        at = bisect_right(self._spans, place, key=lambda span: span[0]) - 1
        return self._spans[at][1] if at >= 0 and place < self._spans[at][1] else None
