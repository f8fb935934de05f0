"""Refine: passages cut into strips, and those kept that bear on the question, with their exact places."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise
from statistics import fmean, pstdev
from types import MappingProxyType
from typing import Literal

from vouch.documents.chunk import model_input
from vouch.documents.text.sentences import sentence_spans
from vouch.documents.text.span import Span
from vouch.documents.text.tables import headers_of, table_rows
from vouch.ports.models import Reranker
from vouch.values.candidate import Candidate, Passage

NOTHING: Mapping[str, str] = MappingProxyType({})
Mode = Literal["windows", "selection", "fixed_num", "excerption"]
SENTENCES = 3                           # in a window or an excerpt; the last may have fewer
STRIDE = 2
WORDS = 50                              # in a strip of fixed length
TAIL = 10                               # a rest of fewer words belongs to the strip before it
FRAGMENT = 5                            # a sentence of so few words says nothing without the one beside it
FEWEST = 4                              # words of a strip that is worth reading
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Refinement:
    """`most`: strips kept of all passages, 0 for as many as the budget holds. `floor`: least score of one.

    `spread`: how many deviations below the mean of all scores a strip may lie; None for any number.
    """

    mode: Mode
    most: int = 0
    floor: float | None = None
    spread: float | None = None

    def cut(self, text: str) -> list[Span]:
        """The strips of a text without those of under four words, unless it has no other."""
        strips = _CUTS[self.mode](text)
        worth = [span for span in strips if len(_WORD.findall(text[slice(*span)])) >= FEWEST]
        return worth or strips[:1]


def refinement(mode: Mode, most: int = 0, floor: float | None = None) -> Refinement:
    """The mode with its own number of strips, unless told another."""
    found = _DEFAULTS[mode]
    return replace(found, most=most or found.most, floor=floor)


def windows(text: str) -> list[Span]:
    """Ranges of two or three sentences that together cover every sentence; one sentence is a window by itself."""
    spans = sentence_spans(text)
    if len(spans) <= SENTENCES:
        return [(spans[0][0], spans[-1][1])] if spans else []
    starts = range(0, len(spans) - 1, STRIDE)
    return [(spans[i][0], spans[min(i + SENTENCES, len(spans)) - 1][1]) for i in starts]


def selection(text: str) -> list[Span]:
    """The text as one strip."""
    words = text.strip()
    start = len(text) - len(text.lstrip())
    return [(start, start + len(words))] if any(map(str.isalnum, words)) else []


def fixed_num(text: str) -> list[Span]:
    """Runs of fifty words that together cover every word. They end within sentences."""
    words = [match.span() for match in _WORD.finditer(text)]
    starts = list(range(0, len(words), WORDS))
    if len(starts) > 1 and len(words) - starts[-1] < TAIL:
        starts.pop()
    return [(words[a][0], words[b - 1][1]) for a, b in pairwise([*starts, len(words)])] if words else []


def excerption(text: str) -> list[Span]:
    """Groups of three sentences that together cover every sentence; fragments count with the sentence before them."""
    whole: list[Span] = []
    for start, end in sentence_spans(text):
        if whole and _is_fragment(text, (start, end)):
            whole[-1] = (whole[-1][0], end)
        elif len(whole) == 1 and _is_fragment(text, whole[0]):
            whole[0] = (whole[0][0], end)   # nothing is before the first
        else:
            whole.append((start, end))
    groups = [whole[i : i + SENTENCES] for i in range(0, len(whole), SENTENCES)]
    return [(group[0][0], group[-1][1]) for group in groups]


def merge(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The same characters in order, overlapping and touching ranges made one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def adjoined(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """The ranges in order, made one where nothing but white space lies between them."""
    joined: list[Span] = []
    for start, end in merge(spans):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def _is_fragment(text: str, span: Span) -> bool:
    return len(_WORD.findall(text[slice(*span)])) <= FRAGMENT


_CUTS: Mapping[Mode, Callable[[str], list[Span]]] = {
    "windows": windows, "selection": selection, "fixed_num": fixed_num, "excerption": excerption,
}
WINDOWS = Refinement("windows", spread=0.5)
_DEFAULTS: Mapping[Mode, Refinement] = {
    "windows": WINDOWS, "selection": Refinement("selection", 3), "fixed_num": Refinement("fixed_num", 6),
    "excerption": Refinement("excerption", 6),
}


@dataclass(frozen=True, slots=True)
class Refined:
    """A passage and its kept ranges: within its text, in order, apart from each other."""

    candidate: Candidate
    strips: tuple[Span, ...]


def refine(
    reranker: Reranker, question: str, candidates: Sequence[Candidate], budget: int,
    count_tokens: Callable[[str], int], how: Refinement = WINDOWS, found_by: Mapping[str, str] = NOTHING,
) -> list[Refined]:  # fmt: skip
    """The candidates that keep a strip, in their order; the first candidate always keeps its best one.

    So does one whose chunk id is in `found_by`: the strip nearest to the words that it was found by, which the
    question may not hold.

    All strips of all candidates are scored in one batch, and kept best first
    while the token budget lasts, unless `how` bounds their number or scores.
    With windows the bound is not far below the mean of all (per question, as
    in MAIN-RAG, arXiv 2501.00332).
    """
    strips = [strip_inputs(candidate.passage, how) for candidate in candidates]
    found = [(i, span) for i, own in enumerate(strips) for span, _ in own]
    if not found:
        return []
    scores = reranker.scores([(question, text) for own in strips for _, text in own])
    floor = _floor(scores, how)
    order = sorted(range(len(found)), key=lambda n: (-scores[n], found[n]))
    first = next(n for n in order if found[n][0] == found[0][0])
    always = dict.fromkeys([first, *_nearest(reranker, candidates, strips, found_by)])
    kept_strips: list[list[Span]] = [[] for _ in candidates]
    left, places = budget, how.most or len(found)
    for n in [*always, *(n for n in order if n not in always)]:
        i, (start, end) = found[n]
        cost = count_tokens(candidates[i].passage.text[start:end])
        if n in always or (places > 0 and scores[n] >= floor and cost <= left):
            kept_strips[i].append((start, end))
            left, places = left - cost, places - 1
    pairs = zip(candidates, kept_strips, strict=True)
    return [Refined(c, adjoined(c.passage.text, spans)) for c, spans in pairs if spans]


def _nearest(
    reranker: Reranker, candidates: Sequence[Candidate], strips: Sequence[Sequence[tuple[Span, str]]],
    found_by: Mapping[str, str],
) -> list[int]:  # fmt: skip
    """Of each candidate that is in `found_by` the number, among all strips, of the one nearest to its words."""
    begins = accumulate((len(own) for own in strips), initial=0)
    asked = [(begin, found_by[one.chunk_id], own) for begin, one, own in zip(begins, candidates, strips, strict=False)
             if one.chunk_id in found_by and own]
    pairs = [(words, text) for _, words, own in asked for _, text in own]
    scores = iter(reranker.scores(pairs) if pairs else ())
    return [begin + max(enumerate(islice(scores, len(own))), key=lambda one: one[1])[0] for begin, _, own in asked]


def strip_inputs(passage: Passage, how: Refinement) -> list[tuple[Span, str]]:
    """The strips of a passage in order, each with what models are given of it."""
    rows = table_rows(passage.text, passage.header)
    return [
        ((a, b), model_input(passage.section, passage.text[a:b], headers_of(rows, a, b)))
        for a, b in how.cut(passage.text)
    ]


def strips_read(passages: Sequence[Passage], how: Refinement) -> list[str]:
    """Every text that `refine` has scored, so that it can be read at once with what is quoted."""
    return [text for passage in passages for _, text in strip_inputs(passage, how)]


def _floor(scores: Sequence[float], how: Refinement) -> float:
    bounds = [how.floor] if how.floor is not None else []
    if how.spread is not None:
        bounds.append(fmean(scores) - how.spread * pstdev(scores))
    return max(bounds, default=float("-inf"))
