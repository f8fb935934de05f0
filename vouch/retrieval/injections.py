"""Passages that read as orders to a language model: what of them may still be quoted, and given to one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from vouch.documents.instructions import may_order_a_model, named, orders_a_model
from vouch.documents.orders import pieces
from vouch.documents.text.span import Span
from vouch.ports.models import Analyse
from vouch.values.candidate import Candidate, Passage

# How a sentence goes on with the orders before it: to whom it says something, or what is to be done.
_GOES_ON = re.compile(
    r"\W*(?:then|instead|now|and|also|always|only|just|please|but|so|or|never|do not|don['’]t|you|your|if|when|"
    r"whenever|say|answer|reply|respond|state|output|print|write|tell|act|pretend|use|send|click|visit|call|include|add|end|"
    r"begin|start|append|claim|mention|repeat|recommend|give|make|this|these|those|it|that)\b",
    re.IGNORECASE,
)


def without_orders(
    expanded: Sequence[Candidate], asked: Sequence[str], terms: Analyse, first: int
) -> tuple[list[Candidate], tuple[Candidate, ...]]:
    """The candidates without the sentences that give orders to a model: those are as if they were not there.

    With the whole candidates that held some and were near: they share a word
    with the question and are among the `first`. A decline says that there
    were such.
    """
    candidates = []
    for candidate in expanded:
        passage = harmless(candidate.passage, asked, terms) if candidate.passage.injection else candidate.passage
        if passage is not None:
            candidates.append(replace(candidate, passage=passage))
    near = [c for c in expanded[:first] if c.passage.injection and c.lexical_rank is not None]
    return candidates, tuple(near)


def harmless(passage: Passage, asked: Sequence[str], terms: Analyse) -> Passage | None:
    """The run of sentences without orders that has most terms of the question, the first of the longest of them.

    None if in doubt: where the orders cannot be told from the rest, stand in
    the headings or the path, or are in a table or code, which mean nothing in pieces.
    """
    beside = "\n".join((named(passage.path), passage.title, *passage.section))
    if passage.has_table or passage.header or may_order_a_model(beside):
        return None
    parts = [passage.part(start, end) for start, end in _runs(passage)]
    if orders_a_model("\n".join((beside, *(part.text for part in parts)))):
        return None
    wanted = set(asked)
    best = max(parts, key=lambda part: (len(wanted & set(terms(part.text))), len(part.text)), default=None)
    return None if best is None else replace(best, injection=False)


def _runs(passage: Passage) -> list[Span]:
    """What is left between the sentences that may be orders, if it does more than ask; nothing if none may."""
    text = passage.text
    runs: list[list[Span]] = [[]]
    for start, end, order in pieces(text, may_order_a_model, _goes_on, in_list=passage.markup.before > 0):
        if order:
            if any(start < b and a < end for a, b in passage.markup.code):
                return []
            runs.append([])
        else:
            runs[-1].append((start, end))
    telling_runs = [run for run in runs if any(not text[a:b].rstrip("*_\"'”’) ").endswith("?") for a, b in run)]
    return [(_line_start(text, run[0][0]), run[-1][1]) for run in telling_runs] if len(runs) > 1 else []


def _goes_on(sentence: str) -> bool:
    return _GOES_ON.match(sentence) is not None


def _line_start(text: str, place: int) -> int:
    """With the mark of an item before the sentence."""
    line = text.rfind("\n", 0, place) + 1
    return place if any(map(str.isalnum, text[line:place].rstrip(" .)0123456789"))) else line
