"""The nearest passages, shown where nothing is sure to answer: people see at once whether one of them does."""

from collections.abc import Sequence
from dataclasses import replace

from vouch.answering.quoting.clipping import clipped
from vouch.answering.quoting.quotable import Quotable, quotables, run
from vouch.answering.quoting.surroundings import whole
from vouch.answering.quoting.units import Unit, units
from vouch.answering.quoting.wide_rows import is_named, narrowed
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence
from vouch.ports.models import Analyse, Reranker
from vouch.retrieval.named_rows import codes

MOST_PASSAGES = 3
CHARACTERS = 600                        # of a passage; what was found for its nearest words may be longer


def quote_nearest(reranker: Reranker, question: str, evidence: Sequence[Evidence], terms: Analyse) -> Draft:
    """Of each of the first passages the row that the question names, or else the part that is nearest to it, with what
    stands around it.

    What one passage shows the next one does not show again: neighboring passages of a document overlap. `terms` are
    those of an index: they tell which columns of a wide row are asked for.
    """
    asked, named = set(terms(question)), codes(question)
    passages = [replace(one, strips=((0, len(one.passage.text)),)) for one in evidence[:MOST_PASSAGES]]
    pairs = [(one, q) for one in passages for q in quotables(one)]
    texts = [q.under_headings for _, q in pairs]
    scores = reranker.scores([(question, text) for text in texts]) if texts else []
    ranked = sorted(zip(scores, pairs, strict=True), key=lambda scored: (not is_named(scored[1][1], named), -scored[0]))
    shown: list[Quotable] = []
    for passage in passages:
        own = (q for _, (one, q) in ranked if one is passage)
        if best := next((q for q in own if not _shown(q, shown)), None):
            shown.append(narrowed(_with_surroundings(best, shown), asked, terms, shown))
    sentences = tuple(_sentence(one) for one in shown)
    return Draft(sentences, QUOTED, reason="" if sentences else "there is no sentence to quote", certain=False)


def _shown(one: Quotable, shown: Sequence[Quotable]) -> bool:
    return any(one.repeats(other) for other in shown)


def _sentence(one: Quotable) -> DraftSentence:
    return DraftSentence(one.text, tuple((one.evidence.number, a, b) for a, b in one.spans), one.left_out)


def _with_surroundings(one: Quotable, shown: Sequence[Quotable]) -> Quotable:
    """`one` as wide as it may be without what is shown already."""
    every = units(one.evidence.passage)
    taken = [_is_shown(one, unit, shown) for unit in every]
    complete = whole(one, every, how_to=False)
    wide = (_with_neighbors(complete, every, taken), complete, one)
    return clipped(next((q for q in wide if not _shown(q, shown)), one), every)


def _is_shown(one: Quotable, unit: Unit, shown: Sequence[Quotable]) -> bool:
    passage = one.evidence.passage
    start, end = passage.start + unit.start, passage.start + unit.end
    same = (other for other in shown if other.evidence.passage.document == passage.document)
    return any(a < end and start < b for other in same for a, b in other.places)


def _with_neighbors(one: Quotable, every: Sequence[Unit], taken: Sequence[bool]) -> Quotable:
    """`one` and as many of the units after and before it as there is room for; a row of a table stays alone."""
    first, last = one.first, one.last
    if one.left_out or len(one.spans) > 1 or any(unit.kind == "row" for unit in every[first : last + 1]):
        return one
    grew = True
    while grew:
        after = _fits(every, taken, first, last + 1, last + 1)
        last += after
        before = _fits(every, taken, first - 1, last, first - 1)
        first -= before
        grew = after or before
    while last > one.last and every[last].kind == "heading":
        last -= 1
    return one if (first, last) == (one.first, one.last) else run(one.evidence, every, first, last)


def _fits(every: Sequence[Unit], taken: Sequence[bool], first: int, last: int, new: int) -> bool:
    """Whether units `first` to `last` may be quoted, of which `new` would come to the others."""
    if first < 0 or last >= len(every) or taken[new] or "row" in (every[first].kind, every[last].kind):
        return False
    return every[last].end - every[first].mark <= CHARACTERS
