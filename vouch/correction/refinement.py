"""Refine: the strips of the passages that bear on the question, with their exact places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from vouch.correction.strips import WINDOWS, Refinement, Span, adjoined
from vouch.documents.chunk import model_input
from vouch.documents.tables import headers_of, table_rows
from vouch.ports.reranker import Reranker
from vouch.retrieval.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Refined:
    """A passage and its kept ranges: within its text, in order, apart from each other."""

    candidate: Candidate
    strips: tuple[Span, ...]


def refine(
    reranker: Reranker, question: str, candidates: Sequence[Candidate], budget: int,
    count_tokens: Callable[[str], int], how: Refinement = WINDOWS,
) -> list[Refined]:  # fmt: skip
    """The candidates that keep a strip, in their order; the first candidate always keeps its best one.

    All strips of all candidates are scored in one batch, and kept best first
    while the token budget lasts, unless `how` bounds their number or scores.
    With windows the bound is not far below the mean of all (per question, as
    in MAIN-RAG, arXiv 2501.00332).
    """
    passages = [candidate.passage for candidate in candidates]
    found = [(i, span) for i, p in enumerate(passages) for span in how.cut(p.text)]
    if not found:
        return []
    rows = [table_rows(p.text, p.header) for p in passages]
    inputs = [
        model_input(passages[i].section, passages[i].text[a:b], headers_of(rows[i], a, b)) for i, (a, b) in found
    ]
    scores = reranker.scores([(question, text) for text in inputs])
    floor = _floor(scores, how)
    order = sorted(range(len(found)), key=lambda n: (-scores[n], found[n]))
    first = next(n for n in order if found[n][0] == found[0][0])
    kept: list[list[Span]] = [[] for _ in candidates]
    left, places = budget, how.most or len(found)
    for n in [first, *(n for n in order if n != first)]:
        i, (start, end) = found[n]
        cost = count_tokens(candidates[i].passage.text[start:end])
        if n == first or (places > 0 and scores[n] >= floor and cost <= left):
            kept[i].append((start, end))
            left, places = left - cost, places - 1
    pairs = zip(candidates, kept, strict=True)
    return [Refined(c, adjoined(c.passage.text, spans)) for c, spans in pairs if spans]


def _floor(scores: Sequence[float], how: Refinement) -> float:
    bounds = [how.floor] if how.floor is not None else []
    if how.spread is not None:
        bounds.append(fmean(scores) - how.spread * pstdev(scores))
    return max(bounds, default=float("-inf"))
