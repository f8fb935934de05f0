"""Cuts a block that is larger than a chunk may be, at the best places there are."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from vouch.documents.document import Block
from vouch.documents.sentences import sentence_spans

Span = tuple[int, int]
Fits = Callable[[int, int], bool]

_LINE = re.compile(r"[^\n]+")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])(?=\s)", re.MULTILINE)
Way = Callable[[str, int, int], list[Span]]


def cut(text: str, block: Block, fits: Fits, windows: Way) -> list[Span]:
    """Ranges that cover the block's words in order, each of which fits if `windows` can make it fit.

    A list is cut between items, a table between rows, code between lines,
    then anything between sentences; what is still too large goes to `windows`.
    """
    first: list[Way] = [_sentences]
    if block.kind == "list":
        first = [_items, _sentences]
    elif block.kind == "code":
        first = [_lines]
    elif block.kind == "table":
        first = [_lines, _sentences]
    return list(_cut(text, block.start, block.end, [*first, windows], fits))


def _cut(text: str, start: int, end: int, ways: list[Way], fits: Fits) -> Iterator[Span]:
    if not ways or fits(start, end):
        yield start, end
        return
    for piece_start, piece_end in ways[0](text, start, end):
        yield from _cut(text, piece_start, piece_end, ways[1:], fits)


def _items(text: str, start: int, end: int) -> list[Span]:
    """Items of the outermost list; the shallowest markers tell which that is."""
    marks = [(m.start(), m.end() - m.start() - len(m[0].lstrip())) for m in _ITEM.finditer(text, start, end)]
    if not marks:
        return [(start, end)]
    depth = min(indent for _, indent in marks)
    starts = [at for at, indent in marks if indent == depth]
    return _between([start, *(at for at in starts if at > start)], text, end)


def _lines(text: str, start: int, end: int) -> list[Span]:
    words = ((m.start(), m[0].rstrip()) for m in _LINE.finditer(text, start, end))
    return [(at, at + len(line)) for at, line in words if line]


def _sentences(text: str, start: int, end: int) -> list[Span]:
    """Sentences, each with the list or quote marks in front of it on its line."""
    spans = sentence_spans(text[start:end])
    starts = [start]
    for (_, before), (after, _) in pairwise(spans):
        gap = text[start + before : start + after]
        line = gap.rfind("\n") + 1
        lead = len(gap[line:]) - len(gap[line:].lstrip())
        starts.append(start + before + line + lead if line else start + after)
    return _between(starts, text, end)


def _between(starts: list[int], text: str, end: int) -> list[Span]:
    found = []
    for at, stop in zip(starts, [*starts[1:], end], strict=True):
        stop = at + len(text[at:stop].rstrip())
        if stop > at:
            found.append((at, stop))
    return found


def token_windows(text: str, tokens: Iterable[Span], start: int, end: int, most: int, longest: int) -> list[Span]:
    """text[start:end] in runs of at most `most` tokens and `longest` characters, between words where there are any."""
    found: list[Span] = []
    begin, count, gap, since = start, 0, start, 0
    for token_start, token_end in tokens:
        if text[token_start - 1 : token_start].isspace() and token_start > begin:
            gap, since = token_start, 0
        if count == most or token_end - begin > longest:
            split = gap if gap > begin else token_start
            if split > begin:
                found.append((begin, split))
                count = since if split == gap else 0
                begin = split
        while token_end - begin > longest:
            found.append((begin, begin + longest))
            begin, count, since = begin + longest, 0, 0
        count, since = count + 1, since + 1
    found.append((begin, end))
    return [(s, s + len(text[s:e].rstrip())) for s, e in found if text[s:e].strip()]
