"""The sections of a document, and the best places to cut a block that is larger than a chunk may be."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vouch.documents.document import Block, Parsed
from vouch.documents.text.sentences import sentence_spans
from vouch.documents.text.span import Span

_MARKS = re.compile(r"#{0,6}[ \t]*")


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive blocks with the same titles above them, on one page."""

    path: tuple[str, ...]
    page: int | None
    blocks: tuple[Block, ...]


def sections(parsed: Parsed) -> Iterator[Section]:
    """The document's blocks, headings turned into paths.

    A heading stands in the path of what is below it; one with nothing below
    is kept as a paragraph of the section around it, so that no word is lost.
    A document without a first-level heading has its title in that place.
    """
    blocks = [b for b in parsed.blocks if b.kind == "heading" or _has_word(parsed.text[b.start : b.end])]
    titled = any(b.kind == "heading" and b.level == 1 and b.title for b in blocks)
    root = () if titled or not parsed.title else (parsed.title,)
    stack: list[tuple[int, str]] = []
    gathered: list[Block] = []
    for i, block in enumerate(blocks):
        heading = block.kind == "heading"
        opens = heading and not _is_empty(blocks, i)
        level = block.level if heading else 7
        leaves = any(above >= level for above, _ in stack)
        if gathered and (opens or leaves or gathered[0].page != block.page):
            yield Section(root + tuple(title for _, title in stack), gathered[0].page, tuple(gathered))
            gathered = []
        if heading:
            stack = [(above, title) for above, title in stack if above < level]
        if opens and block.title:
            stack.append((level, block.title))
        elif not heading or (not opens and _has_word(block.title)):
            gathered.append(_as_paragraph(parsed.text, block) if heading else block)
    if gathered:
        yield Section(root + tuple(title for _, title in stack), gathered[0].page, tuple(gathered))


def _is_empty(blocks: Sequence[Block], at: int) -> bool:
    """Whether nothing with a word stands below the heading: neither text nor a deeper heading."""
    for n in range(at + 1, len(blocks)):
        following = blocks[n]
        if following.kind != "heading":
            return False
        if following.level <= blocks[at].level:
            return True
        if _has_word(following.title):
            return False
    return True


def _has_word(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _as_paragraph(text: str, heading: Block) -> Block:
    marks = _MARKS.match(text, heading.start, heading.end)
    start = marks.end() if marks else heading.start
    return Block("paragraph", start, heading.end, page=heading.page)


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
    windows: list[Span] = []
    begin, count, gap, since = start, 0, start, 0
    for token_start, token_end in tokens:
        if text[token_start - 1 : token_start].isspace() and token_start > begin:
            gap, since = token_start, 0
        if count == most or token_end - begin > longest:
            split = gap if gap > begin else token_start
            if split > begin:
                windows.append((begin, split))
                count = since if split == gap else 0
                begin = split
        while token_end - begin > longest:
            windows.append((begin, begin + longest))
            begin, count, since = begin + longest, 0, 0
        count, since = count + 1, since + 1
    windows.append((begin, end))
    return [(s, s + len(text[s:e].rstrip())) for s, e in windows if text[s:e].strip()]
