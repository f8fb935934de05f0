"""A candidate: a chunk found for a question, with every score, rank and feature it has so far."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from vouch.documents.formats import where
from vouch.documents.text.markup import NOTHING, Markup, clipped
from vouch.documents.text.span import Span

Expansion = Literal["none", "adjacent", "same_section"]
Origin = Literal["internal", "external"]
"""`internal`: a chunk of the index, which its rules decide about. `external`: found elsewhere, for anybody to read."""
_WORDS = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of an engine's result list. Lists are ordered by score, ties by chunk id."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in a list of documents; one that is `flagged` has words that read as orders to a language model."""

    source: str
    path: str
    title: str
    flagged: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with its words and its place, as shown to readers and given to models."""

    chunk_id: str
    source: str
    path: str
    title: str
    section: tuple[str, ...]
    text: str                           # exactly document_text[start:end], but for what is `blanked`
    start: int
    end: int
    first_line: int
    last_line: int
    ordinal: int                        # of the chunk in its document, from 0
    document_chunks: int                # how many chunks the document has
    page: int | None = None
    has_table: bool = False
    url: str | None = None
    header: str = ""                    # of the table that the passage begins in the middle of
    injection: bool = False             # reads as orders to a language model
    markup: Markup = NOTHING            # which characters of the text are marks, and which are code
    origin: Origin = "internal"
    fetched_at: datetime | None = None  # of an external one
    changed_at: datetime | None = None  # its document, as far as its source tells
    blanked: tuple[Span, ...] = ()      # of the text, in order: where blanks stand for words of the document
    skipped: int = 0                    # characters of the chunk that stand before the text

    @property
    def document(self) -> tuple[str, str]:
        return self.source, self.path

    @property
    def text_hash(self) -> str:
        """64 hex digits of the text alone, equal wherever the same words stand."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def where(self) -> str:
        """`page 2` or `lines 3-5`, empty where a document has neither."""
        return where(self.path, (self.first_line, self.last_line), self.page)

    def part(self, start: int, end: int) -> "Passage":
        """The same chunk with text[start:end] alone; what its list has outside the chunk is counted at its own ends."""
        markup, first = self.markup, self.first_line + self.text.count("\n", 0, start)
        return replace(
            self, text=self.text[start:end], start=self.start + start, end=self.start + end, first_line=first,
            last_line=first + self.text.count("\n", start, end), header="" if start else self.header,
            markup=Markup(clipped(markup.hidden, start, end), clipped(markup.code, start, end),
                          0 if start else markup.before, markup.after if end == len(self.text) else 0),
            blanked=clipped(self.blanked, start, end), skipped=self.skipped + start,
        )

    def without(self, spans: Sequence[Span]) -> "Passage":
        """The same with blanks in place of the words in these ranges, which are in order; no line or offset moves."""
        text, reached = list[str](), 0
        for start, end in spans:
            text += self.text[reached:start], _WORDS.sub(" ", self.text[start:end])
            reached = end
        return replace(self, text="".join([*text, self.text[reached:]]), blanked=tuple(sorted({*self.blanked, *spans})))

    def unbroken(self, start: int, end: int) -> list[Span]:
        """The parts of text[start:end] that stand so in the document, without white space around them."""
        edges = [start, *(start + place for span in clipped(self.blanked, start, end) for place in span), end]
        parts = [(a, self.text[a:b]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        return [(a + len(words) - len(words.lstrip()), a + len(words.rstrip())) for a, words in parts if words.strip()]

    def in_chunk(self, start: int, end: int) -> list[Span]:
        """Where text[start:end] stands in the chunk's own text."""
        parts = self.unbroken(start, end) if self.blanked else [(start, end)]
        return [(a + self.skipped, b + self.skipped) for a, b in parts]

    def read(self, start: int, end: int) -> str:
        """text[start:end] without white space around it and without what is `blanked`, but for the ends of lines."""
        text, reached = "", start
        for a, b in self.unbroken(start, end):
            joint = ("\n" if "\n" in self.text[reached:a] else " ") if text else ""
            text, reached = f"{text}{joint}{self.text[a:b]}", b
        return text


@dataclass(frozen=True, slots=True)
class Statistics:
    """Collection statistics over the visible rows only: `rows` and how many of them hold each term."""

    rows: int
    frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Ranks count from 1; None means the candidate is absent from that list."""

    passage: Passage
    lexical_score: float | None = None
    lexical_rank: int | None = None
    dense_score: float | None = None
    dense_rank: int | None = None
    fused_score: float = 0.0
    fused_rank: int = 0
    expansion: Expansion = "none"
    seed: str | None = None             # chunk id of the hit this one was expanded from
    rerank_score: float | None = None
    rerank_rank: int | None = None
    features: Mapping[str, float] = field(default_factory=dict)
    probability: float | None = None    # the evaluator's, calibrated

    @property
    def chunk_id(self) -> str:
        return self.passage.chunk_id
