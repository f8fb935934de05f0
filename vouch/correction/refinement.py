"""Refine: the windows of the passages that bear on the question, with their exact places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from vouch.documents.chunk import model_input
from vouch.documents.sentences import sentence_spans
from vouch.documents.tables import headers_of, table_rows
from vouch.ports.reranker import Reranker
from vouch.retrieval.candidate import Candidate

Span = tuple[int, int]
SENTENCES = 3                           # in a window; the last may have two
STRIDE = 2
SPREAD = 0.5                            # a window may lie this many deviations below the mean


@dataclass(frozen=True, slots=True)
class Refined:
    """A passage and its kept ranges: within its text, in order, apart from each other."""

    candidate: Candidate
    strips: tuple[Span, ...]


def windows(text: str) -> list[Span]:
    """Ranges of two or three sentences that together cover every sentence; one sentence is a window by itself."""
    spans = sentence_spans(text)
    if len(spans) <= SENTENCES:
        return [(spans[0][0], spans[-1][1])] if spans else []
    starts = range(0, len(spans) - 1, STRIDE)
    return [(spans[i][0], spans[min(i + SENTENCES, len(spans)) - 1][1]) for i in starts]


def merge(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The same characters in order, overlapping and touching ranges made one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def refine(
    reranker: Reranker, question: str, candidates: Sequence[Candidate], budget: int, count_tokens: Callable[[str], int]
) -> list[Refined]:
    """The candidates that keep a strip, in their order; the first candidate always keeps its best one.

    All windows are scored in one batch. Kept are those not far below the mean
    of all (a bound per question, as in MAIN-RAG, arXiv 2501.00332), best
    first while the token budget lasts.
    """
    passages = [candidate.passage for candidate in candidates]
    found = [(i, span) for i, p in enumerate(passages) for span in windows(p.text)]
    if not found:
        return []
    rows = [table_rows(p.text, p.header) for p in passages]
    inputs = [
        model_input(passages[i].section, passages[i].text[a:b], headers_of(rows[i], a, b)) for i, (a, b) in found
    ]
    scores = reranker.scores([(question, text) for text in inputs])
    floor = fmean(scores) - SPREAD * pstdev(scores)
    order = sorted(range(len(found)), key=lambda n: (-scores[n], found[n]))
    first = next(n for n in order if found[n][0] == found[0][0])
    kept: list[list[Span]] = [[] for _ in candidates]
    left = budget
    for n in [first, *(n for n in order if n != first)]:
        i, (start, end) = found[n]
        cost = count_tokens(candidates[i].passage.text[start:end])
        if n == first or (scores[n] >= floor and cost <= left):
            kept[i].append((start, end))
            left -= cost
    return [Refined(c, merge(spans)) for c, spans in zip(candidates, kept, strict=True) if spans]
