"""The sections of a document: its blocks under the headings above them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vouch.documents.document import Block, Parsed

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
