"""Verify citations: a sentence stays only if what it cites is really there, and supports it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vouch.answering.answer import AnswerCitation
from vouch.answering.disarming import disarmed
from vouch.answering.quoting.layout import beside
from vouch.answering.verification.numbers import count, unsupported
from vouch.documents.chunk import plain
from vouch.documents.formats import where
from vouch.documents.text.markup import without_marks
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence, Quote
from vouch.ports.models import Analyse, Reranker
from vouch.values.candidate import Passage

Weak = Literal["warn", "mark", "drop"]
LEAST_WORDS = 0.5                       # of a sentence's words, that its quotes must hold
LEAST_CLOSENESS = 0.7                   # of MaxSim; a little below what a quotation that answers needs
MARK = " (its quotes may not say so)"


@dataclass(frozen=True, slots=True)
class Support:
    """What is done with a `weak` sentence of a language model, and what scores it: `model`, or the share of words.

    Quotations are their own support.
    """

    weak: Weak = "warn"
    model: Reranker | None = None
    least: float = LEAST_WORDS

    def share(self, sentence: str, cited: str, terms: Analyse) -> float:
        """From 0 to 1: how close the quotes are to the sentence, or how many of its words they hold."""
        if self.model is None:
            wanted = set(terms(sentence))
            return len(wanted & set(terms(cited))) / len(wanted) if wanted else 1.0
        [score] = self.model.scores([(plain(sentence), plain(cited))])
        return min(max(score, 0.0), 1.0)

    @property
    def why(self) -> str:
        return "shares few words with what it cites" if self.model is None else "is not close to what it cites"


OWN_WORDS = Support()
_ITEM = re.compile(r"^[ \t]*+[-*+][ \t]++", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Citation:
    """`quote` is exactly `passage.text[start:end]`; numbers count from 1 in reading order."""

    number: int
    passage: Passage
    start: int
    end: int

    @property
    def quote(self) -> str:
        return self.passage.text[self.start:self.end]

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line of the quote in its document."""
        first = self.passage.first_line + self.passage.text.count("\n", 0, self.start)
        return first, first + self.quote.count("\n")

    @property
    def place(self) -> str:
        """`page 2` or `lines 3-5`; empty where readers see neither, as on the web, whose pages have no lines."""
        external = self.passage.origin == "external"
        return where("" if external else self.passage.path, self.lines, self.passage.page)

    @property
    def characters(self) -> tuple[int, int]:
        """Range of the quote in the text of its document."""
        return self.passage.start + self.start, self.passage.start + self.end

    def told(self) -> AnswerCitation:
        """As answers tell it."""
        p = self.passage
        return AnswerCitation(
            number=self.number, chunk_id=p.chunk_id, source=p.source, path=p.path, title=p.title,
            section=list(p.section), lines=self.lines, characters=self.characters, quote=self.quote, url=p.url,
            page=p.page, place=self.place, header=beside(p, self.start, self.end), origin=p.origin,
            fetched_at=p.fetched_at, changed_at=p.changed_at,
        )


@dataclass(frozen=True, slots=True)
class Sentence:
    """`left_out`, such as "3 more steps", is what the quoted list or block has besides.

    One that is `weak` is shown with a mark.
    """

    text: str
    citations: tuple[int, ...]
    support: float                      # how far its quotes hold what it says, from 0 to 1
    left_out: str = ""
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Verified:
    """`held`: share of the drafted sentences that hold; `facts`: share of the draft's numbers that do, 1 without."""

    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]
    held: float = 1.0
    facts: float = 1.0

    def cited(self, sentence: Sentence) -> list[Citation]:
        return [self.citations[number - 1] for number in sentence.citations]

    def told(self, held: "Held") -> None:
        for sentence in self.sentences:
            held(sentence, self.cited(sentence))

    @property
    def support(self) -> float:
        return sum(s.support for s in self.sentences) / len(self.sentences) if self.sentences else 0.0


Held = Callable[[Sentence, Sequence[Citation]], None]


def unheard(sentence: Sentence, citations: Sequence[Citation]) -> None:
    """Nobody wants to know."""


def verify(
    draft: Draft,
    evidence: Sequence[Evidence],
    terms: Analyse,
    held: Held = unheard,
    support: Support = OWN_WORDS,
) -> Verified:
    """The sentences of `draft` that hold, with their citations, and a warning for each that was dropped or is weak.

    `held` is called with each as soon as it is known to hold.
    """
    verification = Verification(evidence, terms, OWN_WORDS if draft.model == QUOTED else support)
    for drafted in draft.sentences:
        if supported := verification.add(drafted):
            held(*supported)
    return verification.verified()


class Verification:
    """Holds one sentence after another against the evidence, as a writer brings them.

    A sentence holds when every quote lies in given evidence, when its numbers
    stand in its quotes (or in the headers of the tables they are rows of), and
    when words are left after disarming. What becomes of one that its quotes
    hardly support, `support` says.
    """

    def __init__(
        self, evidence: Sequence[Evidence], terms: Analyse, support: Support = OWN_WORDS
    ) -> None:
        self._passages = {one.number: one.passage for one in evidence}
        self._terms, self._support = terms, support
        self._citations: dict[Quote, Citation] = {}
        self._sentences: list[Sentence] = []
        self._warnings: list[str] = []
        self._seen = self._numbers = self._wrong = 0

    def add(self, draft: DraftSentence) -> tuple[Sentence, Sequence[Citation]] | None:
        """The sentence and what it cites, if it holds."""
        self._seen += 1
        parts = [_parts(quote, self._passages) for quote in draft.quotes]
        quotes = [quote for one in parts for quote in one]
        each = [_cited(self._passages[n], a, b) for n, a, b in quotes]
        cited = "\n".join(each)
        text = disarmed(draft.text, cited)
        missing = set.intersection(*(unsupported(text, one) for one in each)) if each else unsupported(text, "")
        self._numbers, self._wrong = self._numbers + count(text), self._wrong + len(missing)
        problem = _problem(parts, text, missing)
        if problem:
            self._dropped(problem)
            return None
        support = self._support.share(text, cited, self._terms)
        weak = support < self._support.least
        if weak and self._support.weak == "drop":
            self._dropped(f"it {self._support.why}")
            return None
        if weak:
            self._warnings.append(f"sentence {len(self._sentences) + 1} {self._support.why}")
        citations = list(dict.fromkeys(self._cite(quote) for quote in quotes))
        marked = weak and self._support.weak == "mark"
        sentence = Sentence(text, tuple(citation.number for citation in citations), support, draft.left_out, marked)
        self._sentences.append(sentence)
        return sentence, citations

    def verified(self) -> Verified:
        """All that held so far."""
        held = len(self._sentences) / self._seen if self._seen else 1.0
        facts = max(1 - self._wrong / self._numbers, 0.0) if self._numbers else 1.0
        return Verified(
            tuple(self._sentences), tuple(self._citations.values()), tuple(self._warnings), held, facts
        )

    def _dropped(self, problem: str) -> None:
        self._warnings.append(f"sentence {self._seen} of the draft was dropped: {problem}")

    def _cite(self, quote: Quote) -> Citation:
        number, start, end = quote
        new = Citation(len(self._citations) + 1, self._passages[number], start, end)
        return self._citations.setdefault(quote, new)


def _cited(passage: Passage, start: int, end: int) -> str:
    """The quote as it stands and as it reads (a number may have marks inside), of rows also their columns.

    The mark of an item is no minus before the number behind it.
    """
    reads = without_marks(passage.text, start, end, passage.markup)
    items = _ITEM.sub("", f"{passage.text[start:end]}\n{reads}")
    return f"{passage.text[start:end]}\n{reads}\n{items}\n{beside(passage, start, end)}".rstrip()


def _parts(quote: Quote, passages: Mapping[int, Passage]) -> list[Quote]:
    """The quote without white space around it, in two where an order to a model was left out of its middle; nothing if
    it is not in the evidence."""
    number, start, end = quote
    passage = passages.get(number)
    if passage is None or not 0 <= start < end <= len(passage.text):
        return []
    return [(number, a, b) for a, b in passage.unbroken(start, end)]


def _problem(quotes: Sequence[Sequence[Quote]], text: str, missing: set[str]) -> str:
    if not quotes:
        return "it cites nothing"
    if not all(quotes):
        return "a quote is not in the evidence"
    if not any(c.isalnum() for c in text):
        return "no words were left"
    return f"{', '.join(sorted(missing))} is not in what it cites" if missing else ""
