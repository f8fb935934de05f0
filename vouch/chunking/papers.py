"""Academic papers as they are searched: without references, thanks and appendices, and with [URL] for addresses."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vouch.documents.document import Block, Parsed
from vouch.documents.text.markup import DocumentMarkup
from vouch.documents.text.span import Span
from vouch.ports.ingestion import Tokenizer

SIZE, OVERLAP = 500, 120                # characters of a chunk, and of what neighbors share
PAPER_RULES = "papers-1"                #  raise when the chunks of an equal text could change
URL = "[URL]"
_SHARE = 0.75                           # of what the encoder reads: the rest is for the headings before the chunk
_NUMBER = r"(?:\d{1,3}|[A-Z]|[IVX]{1,6})(?:\.\d{1,3}){0,4}[.:]?\s"
_LEFT_OUT = re.compile(
    rf"(?:{_NUMBER}\s*+)?(?:(?:references|bibliography|acknowledge?ments?)\W*+|"
    r"(?:supplementary )?appendi(?:x|ces)\b.*+)", re.IGNORECASE)
_LOOKS = re.compile(rf"(?:{_NUMBER}\s*+)?[A-Z](?:[^.,;:]|[.,;:](?!\s))*")
"""A line that may be a heading: a reference, such as "Ana and Bo. 2019. A tagger", is none."""
_ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>\"'”’)\]}]*[^\s<>\"'”’)\]}.,;:!?]", re.IGNORECASE)
Change = tuple[int, int, str]           # a range of the text, and what is written instead
_LONGEST_TITLE = 80                     # characters of a line that may be the heading of what follows it


@dataclass(frozen=True, slots=True)
class Characters:
    """A tokenizer that counts characters, unless they are so odd that the encoder would not read so many."""

    encoder: Tokenizer

    @property
    def limit(self) -> int:
        return SIZE

    def spans(self, text: str) -> list[Span]:
        return [(place, place + 1) for place in range(len(text))]

    def count(self, text: str) -> int:
        most = int(self.encoder.limit * _SHARE)
        return max(len(text), self.encoder.count(text) * SIZE // most)


def as_paper(parsed: Parsed) -> Parsed:
    """The same document without what is left out, and with [URL] for the addresses that readers see."""
    left_out, kept = _parted(parsed)
    gone = [(start, end) for start, end, _ in left_out]
    addresses = [(*place, URL) for place in (match.span() for match in _ADDRESS.finditer(parsed.text))
                 if not _meets(parsed.markup.hidden, *place) and not _meets(gone, *place)]
    return _changed(parsed, kept, sorted([*left_out, *addresses]))


def _parted(parsed: Parsed) -> tuple[list[Change], list[Block]]:
    """The ranges that are left out, and the blocks that are kept."""
    changes, kept_blocks = list[Change](), list[Block]()
    since, above = -1, 0                # where what is left out began, and the level of its heading
    for block in parsed.blocks:
        title, level = _title(parsed.text, block)
        if title is not None and (since < 0 or level <= above):
            out = _LEFT_OUT.fullmatch(title) is not None
            if since >= 0 and not out:
                changes.append((since, block.start, ""))
                since = -1
            elif out and since < 0:
                since = block.start
            above = level
        if since < 0:
            kept_blocks.append(block)
    if since >= 0:
        changes.append((since, len(parsed.text), ""))
    return changes, kept_blocks


def _title(text: str, block: Block) -> tuple[str | None, int]:
    """Of a heading, or of a paragraph that begins with a line that looks like one; None of any other."""
    if block.kind == "heading":
        return block.title, block.level
    if block.kind not in ("paragraph", "list"):
        return None, 0
    line, _, rest = text[block.start : block.end].partition("\n")
    line = line.strip()
    if len(line) > _LONGEST_TITLE or line.endswith((".", ",", ";")):
        return None, 0
    alone = _LEFT_OUT.fullmatch(line) is not None
    return (line, 7) if alone or (block.kind == "paragraph" and rest.strip() and _LOOKS.fullmatch(line)) else (None, 0)


def _changed(parsed: Parsed, kept: Sequence[Block], changes: Sequence[Change]) -> Parsed:
    if not changes:
        return parsed
    moved, pieces, reached = _Moved(changes), list[str](), 0
    for start, end, instead in changes:
        pieces += [parsed.text[reached:start], instead]
        reached = end
    pieces.append(parsed.text[reached:])
    markup = parsed.markup
    lists = (tuple(dict.fromkeys(map(moved.to, places))) for places in markup.lists)
    return replace(
        parsed, text="".join(pieces), begins=moved.to(parsed.begins),
        blocks=tuple(replace(block, start=moved.to(block.start), end=moved.to(block.end)) for block in kept),
        markup=DocumentMarkup(moved.all(markup.hidden), moved.all(markup.code),
                              tuple(places for places in lists if len(places) > 1)),
    )


def _meets(spans: Sequence[Span], start: int, end: int) -> bool:
    at = bisect_right(spans, start, key=lambda span: span[1])
    return at < len(spans) and spans[at][0] < end


class _Moved:
    """Where places of the text are once the changes are made."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._changes = changes
        self._more = [0]
        for start, end, instead in changes:
            self._more.append(self._more[-1] + len(instead) - (end - start))

    def to(self, place: int) -> int:
        at = bisect_right(self._changes, place, key=lambda change: change[0])
        if at and place < self._changes[at - 1][1]:     # within what was changed: its beginning
            return self._changes[at - 1][0] + self._more[at - 1]
        return place + self._more[at]

    def all(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        moved = ((self.to(start), self.to(end)) for start, end in spans)
        return tuple((start, end) for start, end in moved if start < end)
