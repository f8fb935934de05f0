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
    blocks = parsed.blocks
    titled = any(b.kind == "heading" and b.level == 1 and b.title for b in blocks)
    root = () if titled or not parsed.title else (parsed.title,)
    stack: list[tuple[int, str]] = []
    place: tuple[tuple[str, ...], int | None] = ((), None)
    gathered: list[Block] = []
    for i, block in enumerate(blocks):
        if block.kind == "heading":
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            if not _is_empty(blocks, i):
                stack.extend([(block.level, block.title)] if block.title else [])
                continue
            block = _as_paragraph(parsed.text, block)
        here = (root + tuple(title for _, title in stack), block.page)
        if gathered and here != place:
            yield Section(*place, tuple(gathered))
            gathered = []
        place = here
        gathered.append(block)
    if gathered:
        yield Section(*place, tuple(gathered))


def _is_empty(blocks: Sequence[Block], at: int) -> bool:
    """Whether nothing stands below the heading: neither text nor a deeper heading."""
    if at + 1 == len(blocks):
        return True
    following = blocks[at + 1]
    return following.kind == "heading" and following.level <= blocks[at].level


def _as_paragraph(text: str, heading: Block) -> Block:
    marks = _MARKS.match(text, heading.start, heading.end)
    start = marks.end() if marks else heading.start
    return Block("paragraph", start, heading.end, page=heading.page)
