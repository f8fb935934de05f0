"""Rows and their first column, which names them: whether the question does, and of many columns those it asks for."""

from collections.abc import Sequence, Set
from dataclasses import replace

from vouch.answering.quoting.layout import row_pairs, rows_of, told_pairs
from vouch.answering.quoting.quotable import Quotable
from vouch.plurals import count
from vouch.ports.models import Analyse
from vouch.retrieval.named_rows import first_cell

WIDE = 200                              # characters that are shown of a row; one that needs no more is shown whole


def is_named(one: Quotable, asked: Set[str]) -> bool:
    """Whether it is a row whose first cell is one of the codes `asked` for: no model tells it from its neighbors."""
    return one.is_row and bool(asked) and first_cell(one.cited) in asked


def narrowed(one: Quotable, asked: Set[str], terms: Analyse, shown: Sequence[Quotable] = ()) -> Quotable:
    """A wide row with the columns that have a term of the question in name or cell, and how many more there are.

    What is cited stays the whole row. A row stays as it is where the question
    names no column, where the text was cut, and where a row with the same
    first column is `shown` already: the rest tells them apart.
    """
    if not one.is_row or len(one.text) <= WIDE:
        return one
    passage = one.evidence.passage
    pairs = row_pairs(passage, rows_of(passage), one.spans[0][0])
    wanted = [n > 0 and not asked.isdisjoint(terms(f"{name} {cell}")) for n, (name, cell) in enumerate(pairs)]
    first = told_pairs(pairs[:1])
    if any(other.text == first or other.text.startswith(f"{first}; ") for other in shown):
        return one
    if one.text != told_pairs(pairs) or not any(wanted):
        return one
    kept = [pair for n, pair in enumerate(pairs) if n == 0 or wanted[n]]
    more = len(pairs) - len(kept)
    return replace(one, text=told_pairs(kept), left_out=count(more, "more column") if more else one.left_out)
