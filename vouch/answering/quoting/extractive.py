"""The extractive writer: says nothing of its own, only quotes the sentences that bear most on the question.

Measured on a public handbook (943 chunks, 30 answerable questions written for
it): the best run of two sentences holds the expected words 26 times, one of
the best three 29 times; of single sentences 23 and 28.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vouch.answering.quoting.clipping import clipped
from vouch.answering.quoting.quotable import Quotable, joined, quotables
from vouch.answering.quoting.surroundings import asks_how_to, whole, with_opening
from vouch.answering.quoting.units import units
from vouch.answering.quoting.wide_rows import is_named, narrowed
from vouch.documents.chunk import plain
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence
from vouch.ports.models import Analyser, Reranker
from vouch.retrieval.named_rows import codes

MOST_QUOTES = 3
LEAD = 0.1                              # a further quote may score this much less than the best
LIKE = 0.03                             # runs of sentences that overlap and differ by less tell one thing
_NAME = re.compile(r"(?<=\s)[A-Z\d][\w.&-]*|\b\w*\d\w*")


@dataclass(frozen=True, slots=True)
class Gate:
    """When the best quote is near enough to the question to be called an answer.

    closeness = reranker score under its headings + `alone` × score without
    them + `words` × share of the question's terms found in quote and headings
    − `names` × share of its names and numbers found in neither. Below `least`
    the writer declines. The defaults are for scores of MaxSim, a mean of
    cosines; another reranker needs its own. Of 226 SQuAD questions quoted
    rightly they keep 225; with the right paragraph taken away, its neighbors
    are still quoted for more than half: nearness alone cannot tell.
    """

    least: float = 0.73
    alone: float = 0.3
    words: float = 0.15
    names: float = 0.1


@dataclass(frozen=True, slots=True)
class _Scored:
    """What was compared with the question, its score, and what is quoted for it."""

    quotable: Quotable
    score: float
    quoted: Quotable


class ExtractiveWriter:
    """Implements the Writer port without a language model; deterministic."""

    def __init__(self, reranker: Reranker, analyser: Analyser, *, gate: Gate | None = None) -> None:
        self._reranker = reranker
        self._analyser = analyser
        self._gate = gate or Gate()

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        """One to three quotes in order of passage and place, or none with the reason."""
        scored = self._score(question, evidence)
        if not scored:
            return Draft((), QUOTED, reason="there is no evidence to quote")
        chosen = self._choose(question, scored)
        if max(self._closeness(question, chosen)) < self._gate.least:
            return Draft((), QUOTED, reason="no sentence of the evidence is near enough to the question")
        sentences = tuple(
            DraftSentence(q.text, tuple((q.evidence.number, start, end) for start, end in q.spans), q.left_out)
            for q in self._in_order(question, [one.quoted for one in chosen])
        )
        return Draft(sentences, QUOTED)

    def _score(self, question: str, evidence: Sequence[Evidence]) -> list[_Scored]:
        """All that can be quoted, best first, before it the rows that the question names; ties by place.

        Where it names rows, no other row is quoted beside them.
        """
        named = codes(question)
        found = [one for e in evidence for one in quotables(e)]
        if any(is_named(one, named) for one in found):
            found = [one for one in found if is_named(one, named) or not one.is_row]
        texts = [one.under_headings for one in found]
        scores = self._reranker.scores([(question, text) for text in texts]) if found else []
        scored = [_Scored(one, score, one) for one, score in zip(found, scores, strict=True)]
        return sorted(scored, key=lambda s: (
            not is_named(s.quotable, named), -s.score, s.quotable.evidence.number, s.quotable.spans))

    def _closeness(self, question: str, chosen: Sequence[_Scored]) -> list[float]:
        """Of each quote; see Gate."""
        gate, terms = self._gate, self._analyser.terms
        wanted = set(terms(question))
        names = {term for name in _NAME.findall(question) for term in terms(name)}
        bare = [plain(quote.quotable.read) for quote in chosen]
        closeness = []
        for quote, words, alone in zip(chosen, bare, self._reranker.scores([(question, b) for b in bare]), strict=True):
            passage = quote.quotable.evidence.passage
            passage_terms = set(terms("\n".join([passage.title, *passage.section, words])))
            covered = len(wanted & passage_terms) / len(wanted) if wanted else 0.0
            absent = len(names - passage_terms) / len(names) if names else 0.0
            closeness.append(quote.score + gate.alone * alone + gate.words * covered - gate.names * absent)
        return closeness

    def _choose(self, question: str, scored: Sequence[_Scored]) -> list[_Scored]:
        """The best, and up to two more that are nearly as good and quote other words."""
        asked, how_to = set(self._analyser.terms(question)), asks_how_to(question)
        chosen: list[_Scored] = []
        for candidate in scored:
            if len(chosen) == MOST_QUOTES or candidate.score < scored[0].score - LEAD:
                break
            if _repeated(candidate.quotable, chosen):
                continue
            wider = self._wider(asked, candidate, scored)
            every = units(candidate.quotable.evidence.passage)
            complete = whole(wider, every, how_to=how_to)
            for quoted in (with_opening(complete, every), complete, wider, candidate.quotable):
                if not _repeated(quoted, chosen):
                    before = [one.quoted for one in chosen]
                    shown = narrowed(clipped(quoted, every), asked, self._analyser.terms, before)
                    chosen.append(_Scored(wider, candidate.score, shown))
                    break
        return chosen

    def _in_order(self, question: str, quotes: Sequence[Quotable]) -> list[Quotable]:
        """As they are read, but of a table's rows first the one whose cells hold most of the question's terms.

        `quotes` are the best first, and so are rows that have as many.
        """
        terms = self._analyser.terms
        wanted, asked = set(terms(question)), dict[_Table, Quotable]()
        for row in sorted((one for one in quotes if one.is_row), key=lambda one: -len(wanted & set(terms(one.cited)))):
            asked.setdefault(_table(row), row)
        ordered = _in_reading_order(quotes)
        for table, row in asked.items():
            place = next(n for n, one in enumerate(ordered) if one.is_row and _table(one) == table)
            ordered.remove(row)
            ordered.insert(place, row)
        return ordered

    def _wider(self, asked: set[str], one: _Scored, scored: Sequence[_Scored]) -> Quotable:
        """`one`, or it with what overlaps it and is as good, as both then tell the same thing.

        An item that shares no term with the question was found for its
        lead-in alone: then the whole list is quoted.
        """
        alike = [
            other.quotable for other in scored
            if other is not one and other.score >= one.score - LIKE
            and other.quotable.evidence.number == one.quotable.evidence.number and other.quotable.meets(one.quotable)
        ]
        if len(one.quotable.spans) == 1:
            return next((joined(one.quotable, other) for other in alike if len(other.spans) == 1), one.quotable)
        start, end = one.quotable.spans[-1]
        if asked & set(self._analyser.terms(one.quotable.evidence.passage.text[start:end])):
            return one.quotable
        return next((other for other in alike if len(other.spans) == 1 and other.holds(one.quotable)), one.quotable)


def _repeated(quoted: Quotable, chosen: Sequence[_Scored]) -> bool:
    """Whether readers would read the same words of one document twice, or the same sentence of two."""
    return any(quoted.repeats(other.quoted) for other in chosen)


def _in_reading_order(quotes: Sequence[Quotable]) -> list[Quotable]:
    """By passage, the passage of the best quote first, then by place in it."""
    first: dict[int, int] = {}
    for rank, one in enumerate(quotes):
        first.setdefault(one.evidence.number, rank)
    return sorted(quotes, key=lambda one: (first[one.evidence.number], one.spans))


_Table = tuple[tuple[str, str], str]


def _table(row: Quotable) -> _Table:
    """Tables of one document that have the same columns count as one."""
    return row.evidence.passage.document, row.header
