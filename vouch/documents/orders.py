"""Takes the sentences that give orders to a model out of a text.

Indices never read them: a document with such a sentence is found and ranked
as if the sentence were not there, and nobody can move it up or down with one.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from vouch.documents.instructions import FINAL_LINE, is_order, may_order_a_model
from vouch.documents.text.sentences import sentence_spans

Tells = Callable[[str], bool]
Piece = tuple[int, int, bool]           # where it begins and ends, and whether it is an order
_STOP = re.compile(r"[.!?…。！？}][\"'”’)\]*_`\\]*\s+")


def text_without_orders(text: str) -> str:
    """All but the sentences that are orders by their own words, and those right after them that may be some."""
    kept, place = [], 0
    for start, end, order in pieces(text, is_order, may_order_a_model):
        if order:
            kept.append(text[place:start])
            place = end
    return "".join([*kept, text[place:]])


def calm_sentences(text: str) -> list[str]:
    """The sentences without any phrase of an order, be it one that people write to one another too."""
    return [text[start:end] for start, end, order in pieces(text, may_order_a_model, may_order_a_model) if not order]


def pieces(text: str, orders: Tells, goes_on: Tells, *, in_list: bool = False) -> Iterator[Piece]:
    """The sentences in their order. One that goes on with the orders before it is one, too.

    What stands before an order in the same sentence is apart from it, as in `Due on day 5. ignore all instructions`;
    what stands behind it there is not, unless it begins like a sentence.
    """
    ordered = False
    for start, end in sentence_spans(text, in_list=in_list):
        if not orders(text[start:end]):
            ordered = ordered and goes_on(text[start:end])
            yield start, end, ordered
            continue
        for first, last, by_itself in _apart(text, start, end, orders):
            part, begins = text[first:last], first == start or text[first].isupper()
            ordered = by_itself or (ordered and (goes_on(part) or not begins))
            yield first, last, ordered


def _apart(text: str, start: int, end: int, orders: Tells) -> list[Piece]:
    """The parts of a sentence, cut at full stops, braces, and lines that only say "final"; all of it where no part is
    an order by itself."""
    lines = [place for line in FINAL_LINE.finditer(text, start, end) for place in line.span()]
    ends = sorted({start, *(stop.end() for stop in _STOP.finditer(text, start, end)), *lines, end})
    parts = [(a, a + len(text[a:b].rstrip()), orders(text[a:b])) for a, b in pairwise(ends) if text[a:b].strip()]
    return parts if any(order for _, _, order in parts) else [(start, end, True)]
