"""Takes the sentences that give orders to a model out of a text.

Indices never read them: a document with such a sentence is found and ranked
as if the sentence were not there, and nobody can move it up or down with one.
"""

import re
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise

from vouch.documents.instructions import may_order_a_model, orders_a_model
from vouch.documents.text.sentences import sentence_spans

Piece = tuple[int, int, bool]           # where it begins and ends, and whether it is an order
_STOP = re.compile(r"[.!?…。！？}][\"'”’)\]*_`]*\s+")
# How a sentence goes on with the orders before it: to whom it says something, or what is to be done.
_GOES_ON = re.compile(
    r"\W*(?:then|instead|now|and|also|always|only|just|please|but|so|or|never|do not|don['’]t|you|your|if|when|"
    r"whenever|say|answer|reply|respond|state|output|print|write|tell|act|pretend|use|send|click|visit|call|include|add|end|"
    r"begin|start|append|claim|mention|repeat|recommend|give|make|this|these|those|it|that)\b",
    re.IGNORECASE,
)


def without_orders(text: str) -> str:
    """All but the sentences that are orders by their own words, and those right after them that may be some."""
    kept, place, ordered = [], 0, False
    for start, end, _ in pieces(text, orders_a_model):
        one = text[start:end]
        ordered = orders_a_model(one) or (ordered and may_order_a_model(one))
        if ordered:
            kept.append(text[place:start])
            place = end
    return "".join([*kept, text[place:]])


def pieces(text: str, is_order: Callable[[str], bool], *, in_list: bool = False) -> Iterator[Piece]:
    """The sentences in their order; one that goes on with the orders before it is one, too.

    An order is taken apart at every full stop and brace, since what stands beside one in lower case, or in JSON, is
    none: `On duty on day 5. final: yes`.
    """
    ordered = False
    for start, end in sentence_spans(text, in_list=in_list):
        if is_order(text[start:end]):
            apart = list(_apart(text, start, end, is_order))
            ordered = apart[-1][2]
            yield from apart
        else:
            ordered = ordered and _GOES_ON.match(text, start, end) is not None
            yield start, end, ordered


def _apart(text: str, start: int, end: int, is_order: Callable[[str], bool]) -> Iterator[Piece]:
    ends = [start, *(stop.end() for stop in _STOP.finditer(text, start, end)), end]
    told = [(a, b, is_order(text[a:b])) for a, b in pairwise(ends) if a < b]
    if not any(order for _, _, order in told):          # only what runs over a full stop is one
        told = [(a, b, True) for a, b, _ in told]
    for order, run in groupby(told, key=lambda piece: piece[2]):
        several = list(run)
        first, last = several[0][0], several[-1][1]
        yield first, first + len(text[first:last].rstrip()), order
