"""Verify citations: a sentence stays only if what it cites is really there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vouch.answering.numbers import unsupported
from vouch.answering.table_rows import beside
from vouch.answering.verbatim import disarmed
from vouch.documents.markup import without_marks
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


def verify(draft: Draft, evidence: Sequence[Evidence], terms: Callable[[str], list[str]]) -> Verified:
    """The sentences of `draft` that hold, with their citations, and a warning for each that was dropped or is weak.

    A sentence holds when every quote lies in given evidence, when its numbers
    stand in its quotes (or in the headers of the tables they are rows of), and
    when words are left after disarming.
    """
    passages = {one.number: one.passage for one in evidence}
    numbered: dict[tuple[int, int, int], Citation] = {}
    sentences: list[Sentence] = []
    warnings: list[str] = []
    for position, sentence in enumerate(draft.sentences, 1):
        quotes = [quote for quote in (_trimmed(q, passages) for q in sentence.quotes) if quote]
        cited = "\n".join(_cited(passages[n], a, b) for n, a, b in quotes)
        text = disarmed(sentence.text, cited)
        problem = _problem(sentence, quotes, text, cited)
        if problem:
            warnings.append(f"sentence {position} of the draft was dropped: {problem}")
            continue
        support = _support(text, cited, terms)
        if support < WEAK_SUPPORT:
            warnings.append(f"sentence {len(sentences) + 1} shares few words with what it cites")
        for n, start, end in quotes:
            numbered.setdefault((n, start, end), Citation(len(numbered) + 1, passages[n], start, end))
        own = dict.fromkeys(numbered[quote].number for quote in quotes)
        sentences.append(Sentence(text, tuple(own), support, sentence.left_out))
    return Verified(tuple(sentences), tuple(numbered.values()), tuple(warnings))


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
