"""What a document's format writes for itself: which characters are marks, where code stands, where lists are cut.

The parser of the format knows; whoever shows words takes out the marks it
named and nothing else.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vouch.documents.text.span import Span

# Names of HTML elements, as a pattern. What else stands in angle brackets is text: <user>, Map<String, Integer>.
TAGS = (
    "a|abbr|b|big|br|blockquote|caption|center|cite|code|col|colgroup|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|"
    "font|footer|h1|h2|h3|h4|h5|h6|header|hr|i|iframe|img|ins|kbd|label|li|mark|nav|ol|p|picture|pre|q|s|samp|section|"
    "small|source|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|video|wbr"
)
_INSIDE_WORDS = "a|abbr|b|cite|code|del|em|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u|var"
_UNPARTED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")      # Japanese and Chinese
_ENTITY = re.compile(r"&[#\w]{1,40}+;")  # shown as the character it stands for
_BREAK = re.compile(rf"</?(?!(?:{_INSIDE_WORDS})\b)[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Markup:
    """Of one passage, as ranges of its text in order, apart from each other.

    `hidden` are the marks a reader is not shown. `code` are blocks of code
    with their fences. `before` and `after` count the list items, or lines of
    code, that the passage's first and last block have outside the passage.
    """

    hidden: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()
    before: int = 0
    after: int = 0

    def packed(self) -> list[list[int] | int]:
        """JSON for what `unpacked` reads; empty if there is nothing to tell."""
        if self == NOTHING:
            return []
        flat = [[place for span in spans for place in span] for spans in (self.hidden, self.code)]
        return [*flat, self.before, self.after]

    @classmethod
    def unpacked(cls, packed: Sequence[Sequence[int] | int]) -> "Markup":
        """Raises ValueError or TypeError for anything that `packed` did not make."""
        if not packed:
            return NOTHING
        hidden, code, before, after = packed
        if not isinstance(before, int) or not isinstance(after, int):
            raise TypeError("no numbers")
        return cls(_pairs(hidden), _pairs(code), before, after)

    def fits(self, length: int) -> bool:
        """Whether all of it could be said of a passage of so many characters."""
        if type(self.before) is not int or type(self.after) is not int or min(self.before, self.after) < 0:
            return False
        return _in_order(self.hidden, length) and _in_order(self.code, length)


NOTHING = Markup()


def _pairs(flat: Sequence[int] | int) -> tuple[Span, ...]:
    if isinstance(flat, int):
        raise TypeError("no ranges")
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def _in_order(spans: Sequence[Span], length: int) -> bool:
    reached = 0
    for start, end in spans:
        if type(start) is not int or type(end) is not int or not reached <= start < end <= length:
            return False
        reached = end
    return True


@dataclass(frozen=True, slots=True)
class DocumentMarkup:
    """The same of a whole document. `lists`: of each outermost list where its items begin and, last, where it ends."""

    hidden: tuple[Span, ...] = ()
    code: tuple[Span, ...] = ()
    lists: tuple[tuple[int, ...], ...] = ()

    def within(self, text: str, start: int, end: int) -> Markup:
        """What concerns text[start:end], the document's passage."""
        return Markup(
            clipped(self.hidden, start, end),
            clipped(self.code, start, end),
            self._left_out(text, start, end, before=True),
            self._left_out(text, start, end, before=False),
        )

    def _left_out(self, text: str, start: int, end: int, *, before: bool) -> int:
        offset = start if before else end - 1
        at = bisect_right(self.lists, offset, key=lambda places: places[0]) - 1
        if at >= 0 and offset < self.lists[at][-1]:
            items = self.lists[at][:-1]
            return bisect_left(items, start) if before else len(items) - bisect_left(items, end)
        at = bisect_right(self.code, offset, key=lambda span: span[0]) - 1
        if at < 0 or offset >= self.code[at][1]:
            return 0
        first, last = self.code[at]
        outside = text[first:start] if before else text[end:last]
        return sum(1 for line in outside.splitlines() if line.strip(" \t>") and not _FENCE.match(line))


_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})")


def clipped(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    """What of the spans lies between the two places, counted from `start`."""
    first = bisect_right(spans, start, key=lambda span: span[1])
    found = []
    for a, b in spans[first : bisect_left(spans, end, lo=first, key=lambda span: span[0])]:
        found.append((max(a, start) - start, min(b, end) - start))
    return tuple(found)


UNMARKED = DocumentMarkup()


def without_marks(text: str, start: int, end: int, markup: Markup) -> str:
    """text[start:end] but for the marks; a tag that breaks a line leaves a space, an entity its character."""
    pieces: list[str] = []
    for a, b in markup.hidden[bisect_right(markup.hidden, start, key=lambda span: span[1]) :]:
        if a >= end:
            break
        if a > start:
            pieces.append(text[start:a])
        mark, start = text[a:b], min(b, end)
        if _ENTITY.fullmatch(mark):
            pieces.append(html.unescape(mark))
        if mark[0] not in "<{":
            continue
        if _BREAK.match(mark) and pieces and not pieces[-1][-1].isspace():
            pieces.append(" ")
        while pieces and pieces[-1][-1] == " " and start < end and text[start] == " ":
            start += 1                  # no two spaces where one tag stood
    return "".join([*pieces, text[start:end]])


_EMPHASIS = frozenset("*_~`\\ ")


def shown_apart(text: str, markup: Markup) -> str:
    """The whole text as a reader is shown it, line by line, where marks may part or join words: not only emphasis."""
    marks = any(not _EMPHASIS.issuperset(text[a:b]) for a, b in markup.hidden)
    return without_marks(text, 0, len(text), markup) if marks else text


def shown(text: str, start: int, end: int, markup: Markup) -> str:
    """text[start:end] as a reader is shown it in running text: without marks, on one line."""
    return running(without_marks(text, start, end, markup).split("\n"))


def running(pieces: Iterable[str]) -> str:
    """The pieces one after the other on one line, with blanks between them where their script has any."""
    text = ""
    for piece in filter(None, map(str.strip, pieces)):
        text += piece if not text or (_UNPARTED.match(text, len(text) - 1) and _UNPARTED.match(piece)) else f" {piece}"
    return text
