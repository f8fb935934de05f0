"""Passages that read as orders to a language model: what of them may still be quoted, and given to one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from vouch.documents.instructions import may_order_a_model, named, orders_a_model
from vouch.documents.orders import pieces
from vouch.documents.text.markup import shown_apart
from vouch.documents.text.span import Span
from vouch.documents.text.tables import table_rows
from vouch.values.candidate import Candidate, Passage

# How a sentence goes on with the orders before it: to whom it says something, or what is to be done.
_GOES_ON = re.compile(
    r"\W*(?:then|instead|now|first|next|finally|from now on|and|also|always|only|just|please|but|so|or|never|do|"
    r"don['’]t|you|your|if|when|whenever|say|answer|reply|respond|state|output|print|write|tell|act|pretend|obey|follow|"
    r"comply|execute|run|perform|use|search|find|look|fetch|retrieve|open|read|go|send|forward|e-?mail|click|visit|"
    r"call|include|add|end|stop|begin|start|append|claim|mention|repeat|recommend|give|make|set|this|these|those|it|that)\b",
    re.IGNORECASE,
)


def without_orders(expanded: Sequence[Candidate], first: int) -> tuple[list[Candidate], tuple[Candidate, ...]]:
    """The candidates without the sentences that give orders to a model: those are as if they were not there.

    With the whole candidates that held some and were near: they share a word
    with the question and are among the `first`. A decline says that there
    were such.
    """
    candidates = []
    for candidate in expanded:
        passage = harmless(candidate.passage) if candidate.passage.injection else candidate.passage
        if passage is not None:
            candidates.append(replace(candidate, passage=passage))
    near = [c for c in expanded[:first] if c.passage.injection and c.lexical_rank is not None]
    return candidates, tuple(near)


def harmless(passage: Passage) -> Passage | None:
    """The passage with blanks in place of the sentences that give orders; those at its ends are cut off.

    None if in doubt: where the orders cannot be told from the rest, stand in
    the headings or the path, or are in a table's rows or code, which mean nothing in pieces.
    """
    beside = "\n".join((named(passage.path), passage.title, *passage.section, passage.header))
    orders, told = _apart(passage)
    if not orders or not told or may_order_a_model(beside):
        return None
    silent = passage.without(orders)
    for read in {silent.text, shown_apart(silent.text, silent.markup)}:
        if orders_a_model(f"{beside}\n{' '.join(read.split())}"):
            return None
    first = len(silent.text) - len(silent.text.lstrip()) if orders[0][0] == 0 else 0
    last = len(silent.text.rstrip()) if orders[-1][1] == len(silent.text) else len(silent.text)
    return replace(silent.part(first, last), injection=False)


def _apart(passage: Passage) -> tuple[list[Span], bool]:
    """Where sentences stand that may be orders, with the marks around them, and whether another one does more than ask.

    Nothing where one is in rows or code.
    """
    text, orders, tells = passage.text, list[Span](), False
    sentences = list(pieces(text, may_order_a_model, _goes_on, in_list=passage.markup.before > 0))
    whole = [*passage.markup.code, *((row.start, row.end) for row in table_rows(text, passage.header))]
    for number, (start, end, order) in enumerate(sentences):
        if not order:
            tells = tells or not text[start:end].rstrip("*_\"'”’) ").endswith("?")
            continue
        if any(start < b and a < end for a, b in whole):
            return [], False
        reached = max(sentences[number - 1][1] if number else 0, orders[-1][1] if orders else 0)
        following = sentences[number + 1][0] if number + 1 < len(sentences) else len(text)
        orders.append((_line_start(text, start, reached), _line_end(text, end, following)))
    return orders, tells


def _goes_on(sentence: str) -> bool:
    return _GOES_ON.match(sentence) is not None


def _line_start(text: str, place: int, reached: int) -> int:
    """Where its line begins, or the sentence before it ends."""
    return max(text.rfind("\n", 0, place) + 1, reached)


def _line_end(text: str, place: int, following: int) -> int:
    line = text.find("\n", place)
    return following if line < 0 else min(line, following)
