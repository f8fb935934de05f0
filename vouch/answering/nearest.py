"""The nearest passages, shown where nothing is sure to answer: people see at once whether one of them does."""

from collections.abc import Sequence
from dataclasses import replace

from vouch.answering.clipping import clipped
from vouch.answering.quotable import Quotable, quotables, run
from vouch.answering.units import Unit, units
from vouch.answering.whole import whole
from vouch.documents.chunk import model_input
from vouch.ports.reranker import Reranker
from vouch.ports.writer import QUOTED, Draft, DraftSentence, Evidence

MOST_PASSAGES = 3
CHARACTERS = 600                        # of a passage; what was found for its nearest words may be longer


def quote_nearest(reranker: Reranker, question: str, evidence: Sequence[Evidence]) -> Draft:
    """Of each of the first passages the part that is nearest to the question, with what stands around it."""
    passages = [replace(one, strips=((0, len(one.passage.text)),)) for one in evidence[:MOST_PASSAGES]]
    found = [(one, q) for one in passages for q in quotables(one)]
    texts = [model_input(one.passage.section, q.read) for one, q in found]
    scores = reranker.scores([(question, text) for text in texts]) if texts else []
    best: dict[int, tuple[float, Quotable]] = {}
    for (one, quotable), score in zip(found, scores, strict=True):
        if one.number not in best or score > best[one.number][0]:
            best[one.number] = score, quotable
    sentences = tuple(_sentence(best[one.number][1]) for one in passages if one.number in best)
    return Draft(sentences, QUOTED, reason="" if sentences else "there is no sentence to quote", certain=False)


def _sentence(one: Quotable) -> DraftSentence:
    every = units(one.evidence.passage)
    shown = clipped(_with_neighbours(whole(one, every, how_to=False), every), every)
    return DraftSentence(shown.text, tuple((one.evidence.number, a, b) for a, b in shown.spans), shown.left_out)


def _with_neighbours(one: Quotable, every: Sequence[Unit]) -> Quotable:
    """`one` and as many of the units after and before it as there is room for; a row of a table stays alone."""
    first, last = one.first, one.last
    if one.left_out or len(one.spans) > 1 or any(unit.kind == "row" for unit in every[first : last + 1]):
        return one
    grew = True
    while grew:
        after = _fits(every, first, last + 1)
        last += after
        before = _fits(every, first - 1, last)
        first -= before
        grew = after or before
    while last > one.last and every[last].kind == "heading":
        last -= 1
    return one if (first, last) == (one.first, one.last) else run(one.evidence, every, first, last)


def _fits(every: Sequence[Unit], first: int, last: int) -> bool:
    if first < 0 or last >= len(every) or "row" in (every[first].kind, every[last].kind):
        return False
    return every[last].end - every[first].mark <= CHARACTERS
