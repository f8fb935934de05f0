"""What nobody sees where a page is shown: HTML comments and hidden elements. It is not indexed."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vouch.adapters.parsers.spans import Blocks
from vouch.documents.text.span import Span

_MARK = re.compile(r"<!--|(?<!`)`++")
_CLOSE = re.compile(r"-->")
_BLANK = re.compile(r"\n[^\S\n]*(?=\n)")
_HIDE = re.compile(r"[^\n]")
_EMPTY = ("<!-->", "<!--->")


def without_comments(text: str, code: Sequence[Span], html: Sequence[Span]) -> str:
    """`text` with blanks in place of its comments: every other character, and every line, stays where it is.

    `code` and `html` are the blocks of each, in order. A comment in a block
    of HTML ends with the block at the latest, closed or not; one in running
    text that its paragraph does not close is text.
    """
    return blanked(text, _comments(text, Blocks(code), Blocks(html)))


def blanked(text: str, spans: Iterable[Span]) -> str:
    """`text` with blanks in place of all but the ends of lines in `spans`, which are in order."""
    parts, reached = list[str](), 0
    for start, end in spans:
        parts += [text[reached:start], _HIDE.sub(" ", text[start:end])]
        reached = end
    return "".join([*parts, text[reached:]])


def code_spans(text: str, code: Sequence[Span]) -> list[Span]:
    """The blocks of code and the code inside lines, in order."""
    ends, blocks, found, at = _Ends(text), Blocks(code), list(code), 0
    while (mark := _MARK.search(text, at)) is not None:
        start, at = mark.start(), mark.end()
        if (block_end := blocks.end_at(start)) is not None:
            at = block_end
        elif mark[0][0] == "`" and (end := ends.of_code(start, at)) > at:
            found.append((start, end))
            at = end
    return sorted(found)


def _comments(text: str, code: Blocks, html: Blocks) -> Iterator[Span]:
    ends = _Ends(text)
    at = 0
    while (mark := _MARK.search(text, at)) is not None:
        start, at = mark.start(), mark.end()
        if (block_end := code.end_at(start)) is not None:
            at = block_end
        elif mark[0][0] == "`":
            at = ends.of_code(start, at)
        else:
            end = ends.of_comment(text, start, html.end_at(start))
            if end is not None:
                at = end
                yield start, end


class _Ends:
    """Where everything that may close something stands, found once, so that many openings cost little."""

    def __init__(self, text: str) -> None:
        self._runs: dict[int, list[int]] = defaultdict(list)
        for mark in _MARK.finditer(text):
            if mark[0][0] == "`":
                self._runs[len(mark[0])].append(mark.start())
        self._closes = [close.end() for close in _CLOSE.finditer(text)]
        self._blanks = [*(blank.start() for blank in _BLANK.finditer(text)), len(text)]

    def of_code(self, start: int, end: int) -> int:
        """Behind the run of as many backticks that closes text[start:end]; `end` itself if its paragraph has none."""
        alike = self._runs[end - start]
        at = bisect_left(alike, end)
        if at == len(alike) or alike[at] > self._blanks[bisect_left(self._blanks, end)]:
            return end
        return alike[at] + end - start

    def of_comment(self, text: str, start: int, block_end: int | None) -> int | None:
        for empty in _EMPTY:
            if text.startswith(empty, start):
                return start + len(empty)
        at = bisect_left(self._closes, start + len("<!---->"))
        close = self._closes[at] if at < len(self._closes) else len(text) + 1
        if block_end is not None:
            return min(close, block_end)
        return close if close <= self._blanks[bisect_left(self._blanks, start)] else None


NEVER_SEEN = frozenset({"template", "noscript"})
_WHOLE = frozenset({"html", "body"})    # a script shows the page that hides itself until it has come
_EMPTY_ELEMENTS = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]{0,40}+)((?:[\s/][^<>]{0,2000}+)?)>")
_ATTRIBUTE = re.compile(
    r"([a-zA-Z-]{1,40}+)(?:\s{0,20}+=\s{0,20}+(?:\"([^\"]{0,2000}+)\"|'([^']{0,2000}+)'|([^\s\"'=>]{1,2000}+)))?"
)
_NOUGHT = re.compile(r"[0.]{1,10}+(?:[a-z]{1,4}+|%)?")
_BLANK_LINE = re.compile(r"\n[^\S\n]*(?=\n)")


def is_unseen(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether the element and all that is in it is hidden by its name or its own attributes, named in small letters."""
    if tag in _WHOLE:
        return False
    if tag in NEVER_SEEN or "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true":
        return True
    return any(map(_hides, attributes.get("style", "").lower().split(";")))


def _hides(declaration: str) -> bool:
    name, _, value = declaration.partition(":")
    name, value = name.strip(), value.replace("!important", "").strip()
    if name in ("font-size", "opacity"):
        return _NOUGHT.fullmatch(value) is not None
    return (name, value) in (("display", "none"), ("visibility", "hidden"), ("visibility", "collapse"))


def without_unseen(text: str, code: Sequence[Span], html: Sequence[Span]) -> str:
    """Markdown with blanks in place of its hidden elements: every other character, and every line, stays where it is.

    `code` and `html` are the blocks of each, in order. An element in a block
    of HTML that is never closed ends with the block; one in running text that
    its paragraph does not close is text.
    """
    return blanked(text, _unseen(text, code, Blocks(html)))


def _unseen(text: str, code: Sequence[Span], html: Blocks) -> Iterator[Span]:
    in_code = Blocks(code_spans(text, code))
    tags = [tag for tag in _TAG.finditer(text) if in_code.end_at(tag.start()) is None]
    closes, reached = _closes(tags), 0
    blanks = [*(blank.start() for blank in _BLANK_LINE.finditer(text)), len(text)]
    for tag in tags:
        start, name = tag.start(), tag[2].lower()
        if start < reached or tag[1] or name in _EMPTY_ELEMENTS or not is_unseen(name, _attributes(tag[3])):
            continue
        end, block_end = closes.get(start), html.end_at(start)
        if block_end is None and (end is None or end > blanks[bisect_left(blanks, start)]):
            continue
        reached = end or block_end or start
        yield start, reached


def _attributes(words: str) -> dict[str, str]:
    return {one[1].lower(): one[2] or one[3] or one[4] or "" for one in _ATTRIBUTE.finditer(words)}


def _closes(tags: Sequence[re.Match[str]]) -> dict[int, int]:
    """Where each element ends, by where it begins; one that is never closed has no end."""
    found: dict[int, int] = {}
    opened: dict[str, list[int]] = defaultdict(list)
    for tag in tags:
        begun = opened[tag[2].lower()]
        if not tag[1]:
            begun.append(tag.start())
        elif begun:
            found[begun.pop()] = tag.end()
    return found
