"""Elements of HTML that nobody sees where the page is shown, told by themselves: no stylesheet is looked at."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from vouch.adapters.parsers.markdown.comments import Blocks, blanked, code_spans

Span = tuple[int, int]
NEVER_SEEN = frozenset({"template", "noscript"})
_WHOLE = frozenset({"html", "body"})    # a script shows the page that hides itself until it has come
_EMPTY = frozenset(
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
        if start < reached or tag[1] or name in _EMPTY or not is_unseen(name, _attributes(tag[3])):
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
