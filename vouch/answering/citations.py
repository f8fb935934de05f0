"""Verify citations: a sentence stays only if what it cites is really there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vouch.answering.numbers import unsupported
from vouch.answering.table_rows import beside
from vouch.answering.verbatim import disarmed
from vouch.documents.markup import without_marks
from vouch.documents.place import where
from vouch.ports.writer import Draft, DraftSentence, Evidence
from vouch.retrieval.candidate import Passage

WEAK_SUPPORT = 0.5                      # a sentence with fewer of its words in its quotes is flagged


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


@dataclass(frozen=True, slots=True)
class Sentence:
    """`left_out`, such as "3 more steps", is what the quoted list or block has besides."""

    text: str
    citations: tuple[int, ...]
    support: float                      # share of its words that its quotes hold
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]

    @property
    def support(self) -> float:
        return sum(s.support for s in self.sentences) / len(self.sentences) if self.sentences else 0.0


Held = Callable[[Sentence, Sequence[Citation]], None]


def unheard(sentence: Sentence, citations: Sequence[Citation]) -> None:
    """Nobody wants to know."""


def verify(
    draft: Draft,
    evidence: Sequence[Evidence],
    terms: Callable[[str], list[str]],
    held: Held = unheard,
) -> Verified:
    """The sentences of `draft` that hold, with their citations, and a warning for each that was dropped or is weak.

    `held` is called with each as soon as it is known to hold.
    """
    verification = Verification(evidence, terms)
    for drafted in draft.sentences:
        if found := verification.add(drafted):
            held(*found)
    return verification.verified()


class Verification:
    """Holds one sentence after another against the evidence, as a writer brings them.

    A sentence holds when every quote lies in given evidence, when its numbers
    stand in its quotes (or in the headers of the tables they are rows of), and
    when words are left after disarming.
    """

    def __init__(self, evidence: Sequence[Evidence], terms: Callable[[str], list[str]]) -> None:
        self._passages = {one.number: one.passage for one in evidence}
        self._terms = terms
        self._citations: dict[tuple[int, int, int], Citation] = {}
        self._sentences: list[Sentence] = []
        self._warnings: list[str] = []
        self._seen = 0

    def add(self, draft: DraftSentence) -> tuple[Sentence, Sequence[Citation]] | None:
        """The sentence and what it cites, if it holds."""
        self._seen += 1
        quotes = [quote for quote in (_trimmed(q, self._passages) for q in draft.quotes) if quote]
        cited = "\n".join(_cited(self._passages[n], a, b) for n, a, b in quotes)
        text = disarmed(draft.text, cited)
        problem = _problem(draft, quotes, text, cited)
        if problem:
            self._warnings.append(f"sentence {self._seen} of the draft was dropped: {problem}")
            return None
        support = _support(text, cited, self._terms)
        if support < WEAK_SUPPORT:
            self._warnings.append(f"sentence {len(self._sentences) + 1} shares few words with what it cites")
        citations = list(dict.fromkeys(self._cite(quote) for quote in quotes))
        sentence = Sentence(text, tuple(one.number for one in citations), support, draft.left_out)
        self._sentences.append(sentence)
        return sentence, citations

    def verified(self) -> Verified:
        """All that held so far."""
        return Verified(tuple(self._sentences), tuple(self._citations.values()), tuple(self._warnings))

    def _cite(self, quote: tuple[int, int, int]) -> Citation:
        number, start, end = quote
        new = Citation(len(self._citations) + 1, self._passages[number], start, end)
        return self._citations.setdefault(quote, new)


def _cited(passage: Passage, start: int, end: int) -> str:
    """The quote as it stands and as it reads (a number may have marks inside), of rows also their columns."""
    reads = without_marks(passage.text, start, end, passage.markup)
    return f"{passage.text[start:end]}\n{reads}\n{beside(passage, start, end)}".rstrip()


def _trimmed(quote: tuple[int, int, int], passages: dict[int, Passage]) -> tuple[int, int, int] | None:
    """The quote without white space around it, or None if it is not in the evidence."""
    number, start, end = quote
    passage = passages.get(number)
    if passage is None or not 0 <= start < end <= len(passage.text):
        return None
    inner = passage.text[start:end]
    start, end = start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())
    return (number, start, end) if start < end else None


def _problem(sentence: DraftSentence, quotes: list[tuple[int, int, int]], text: str, cited: str) -> str:
    if not sentence.quotes:
        return "it cites nothing"
    if len(quotes) < len(sentence.quotes):
        return "a quote is not in the evidence"
    if not any(c.isalnum() for c in text):
        return "no words were left"
    missing = unsupported(text, cited)
    return f"{', '.join(sorted(missing))} is not in what it cites" if missing else ""


def _support(text: str, cited: str, terms: Callable[[str], list[str]]) -> float:
    wanted = set(terms(text))
    return len(wanted & set(terms(cited))) / len(wanted) if wanted else 1.0
