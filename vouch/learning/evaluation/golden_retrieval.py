"""Where the passages that hold a known quotation stand in what was found."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from vouch.learning.collections.asked import Asked
from vouch.learning.collections.golden import GoldenQuestion, held_in
from vouch.learning.statistics.metrics import told_recall
from vouch.values.candidate import Passage

READ = 20                               # passages that count as read: so many are judged by default
DEPTHS = (1, 3, 5, 20, 100)
Places = dict[str, int | None]


def places(question: GoldenQuestion, asked: Asked) -> Places:
    """From 1, in the order of the fusion and in the final one; None where it was not found. Where a question needs all
    of its quotations it is the place by which all of them have come, and `first` that of the first in the final order.
    """
    return {"fused": place(question, asked.fused), "final": place(question, asked.final),
            "first": place(replace(question, needs_all=False), asked.final)}


def retrieval_figures(rows: Iterable[tuple[GoldenQuestion, Places]]) -> dict[str, Any]:
    """Recall of answerable questions, of all and by kind; nothing where there is none."""
    there = [(question, found) for question, found in rows if question.answerable]
    if not there:
        return {}
    kinds: dict[str, list[Places]] = {}
    for question, found in there:
        kinds.setdefault(question.kind or "all", []).append(found)
    return {**_recall([found for _, found in there]),
            "kinds": {kind: {"questions": len(some), **_recall(some)} for kind, some in sorted(kinds.items())}}


def confusion(rows: Iterable[tuple[GoldenQuestion, Places, str]]) -> dict[str, dict[str, int]]:
    """How many questions of each kind the evaluator said which word of.

    `found`: a passage that answers it was read; `not found`: the documents
    answer it and none was; `not answerable`. Rightly they are correct,
    incorrect and incorrect. `none`: nothing was judged.
    """
    matrix = {true: dict.fromkeys(("correct", "ambiguous", "incorrect", "none"), 0)
              for true in ("found", "not found", "not answerable")}
    for question, where, verdict in rows:
        read = (where["final"] or READ + 1) <= READ
        matrix["not answerable" if not question.answerable else "found" if read else "not found"][verdict] += 1
    return matrix


def _recall(rows: Sequence[Places]) -> dict[str, Any]:
    return {order: told_recall([row[order] for row in rows], DEPTHS) for order in ("fused", "final", "first")}


def place(question: GoldenQuestion, passages: Sequence[Passage]) -> int | None:
    """From 1, where the first passage stands that is enough for the question, or by which all have come that it needs.
    """
    found = [
        next((number for number, one in enumerate(passages, 1) if held_in(alternatives, one)), None)
        for alternatives in question.gold
    ]
    there = [number for number in found if number is not None]
    if question.needs_all:
        return max(there) if len(there) == len(found) and found else None
    return min(there, default=None)
