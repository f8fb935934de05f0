"""A quotation that opens with "It" or "These" is understood from the sentence before it."""

import re
from collections.abc import Sequence

from vouch.answering.quotable import Quotable, run
from vouch.answering.units import Unit, goes_on
from vouch.documents.markup import shown

CONTEXT_CHARACTERS = 200                # of the sentence before; a longer one is left out
_POINTS_BACK = re.compile(r"[\"'“‘(*_]{0,3}(?:It|Its|This|That|They|Their|These|Those|He|She|Such)\b(?! is why\b)")


def with_opening(one: Quotable, every: Sequence[Unit]) -> Quotable:
    """`one` with the sentence before it, if its first word points there and that sentence is short.

    `every` are the units of its passage.
    """
    first, passage = one.first, one.evidence.passage
    if first == 0 or len(one.spans) != 1 or every[first].kind != "prose" or every[first - 1].kind != "prose":
        return one
    unit, before = every[first], every[first - 1]
    words = shown(passage.text, unit.start, unit.end, passage.markup)
    if not _POINTS_BACK.match(words) or before.end - before.start > CONTEXT_CHARACTERS:
        return one
    if one.spans[0][1] != every[one.last].end or not before.words or not goes_on(passage, before, unit):
        return one
    return run(one.evidence, every, first - 1, one.last, one.left_out)
