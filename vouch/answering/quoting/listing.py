"""Answers to list questions: one quotation for each document, a line each, and how much is left out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vouch.answering.quoting.clipping import clipped, short
from vouch.answering.quoting.quotable import Quotable, quotables
from vouch.answering.quoting.units import units
from vouch.documents.chunk import plain
from vouch.plurals import count
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence
from vouch.ports.models import Reranker
from vouch.values.candidate import Candidate

LINE_CHARACTERS = 200                   # of a quotation in a line of the list
_MARK = re.compile(r"\A(?:[-*+•]|\d{1,9}[.)])[ \t]+")
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """`more`: the best passage of each further document that passed. `unjudged`: near passages that nobody judged."""

    more: tuple[Candidate, ...]
    unjudged: int

    def notes(self) -> list[str]:
        notes = []
        if self.more:
            more = count(len(self.more), "more document fits and is", "more documents fit and are")
            notes.append(f"{more} not listed: ask about a part to see them")
        if self.unjudged:
            less = count(self.unjudged, "passage that is less near was", "passages that are less near were")
            notes.append(f"at least {less} not looked at")
        return notes


def quote_each(reranker: Reranker, subject: str, evidence: Sequence[Evidence]) -> Draft:
    """For each document, in the order of its first evidence, the quotation that bears most on `subject`.

    None for a document without sentences. Headings are left out of the
    comparison: a line of a list should name its subject itself.
    """
    quotations = [quotation for e in evidence for quotation in quotables(e)]
    scores = reranker.scores([(subject, _read(quotation)) for quotation in quotations]) if quotations else []
    best: dict[tuple[str, str], tuple[float, Quotable]] = {}
    for quotation, score in zip(quotations, scores, strict=True):
        document = (quotation.evidence.passage.source, quotation.evidence.passage.path)
        if document not in best or score > best[document][0]:
            best[document] = (score, quotation)
    return Draft(tuple(_sentence(quotation) for _, quotation in best.values()), QUOTED,
                 reason="" if best else "there is no sentence to quote")


def _read(one: Quotable) -> str:
    return plain(one.read)


def _sentence(one: Quotable) -> DraftSentence:
    """The quotation on one line, however long it is in the document; what is cited is what is shown.

    The marks of list items mean nothing inside a line, and a number of one would pass for a number of the text.
    """
    one = clipped(one, units(one.evidence.passage), LINE_CHARACTERS)
    lines = (line.strip() for line in one.text.split("\n") if not line.lstrip().startswith(_FENCE))
    text = one.evidence.passage.text
    source = "\n".join(text[start:end] for start, end in one.spans)
    words = " ".join(_without_mark(line, source) for line in lines)
    quotes = tuple((one.evidence.number, start, end) for start, end in one.spans)
    return DraftSentence(short(words, LINE_CHARACTERS), quotes)


def _without_mark(line: str, source: str) -> str:
    """A number that stands in the source with signs inside is none of an item: 5*3. may read 53. in its place."""
    mark = _MARK.match(line)
    return line[mark.end() :] if mark and (not mark[0][0].isdigit() or mark[0].strip() in source) else line
