"""Markdown: the text stays as it is; its top-level blocks and its marks are found by markdown-it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from vouch.adapters.parsers.markdown.document_marks import markdown_marks
from vouch.adapters.parsers.markdown.inline_marks import COMPONENTS, inline_marks
from vouch.adapters.parsers.markdown.unseen import blanked, without_comments, without_unseen
from vouch.adapters.parsers.narrowing.front_matter import split_front_matter
from vouch.adapters.parsers.plain.text import MOST_TITLE, decode, paragraphs
from vouch.adapters.parsers.spans import Blocks
from vouch.documents.document import Block, BlockKind, Content, Parsed
from vouch.documents.text.markup import DocumentMarkup, Markup, shown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_PROPERTY = re.compile(r"[^\s:][^:\n]{0,60}:(?:[ \t][^\n]*)?")
_KEPT_BY_NOTION = re.compile(r"^(?:created|last edited)(?: time| by)?:", re.IGNORECASE | re.MULTILINE)


def without_properties(text: str, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without the paragraph of properties (`Created: …`, `Owner: …`) right under the first heading.

    It is one if each of its lines is `Name: value` and one of the names is
    of those that Notion itself keeps. So it is told by what the page says;
    the name of its file decides nothing.
    """
    if len(blocks) < 2 or blocks[0].kind != "heading" or blocks[1].kind != "paragraph":
        return blocks
    words = text[blocks[1].start : blocks[1].end]
    if not _KEPT_BY_NOTION.search(words) or not all(map(_PROPERTY.fullmatch, words.splitlines())):
        return blocks
    return (blocks[0], *blocks[2:])


_NEWLINE = re.compile(r"\r\n?|\n")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{[:#.][^{}]*\}\s*$")
_TICKS = re.compile(r"(?<!`)(`++)([^`]{1,500}+)\1(?!`)")
_SCRIPT = re.compile(
    r"^(?:import[ \t]++(?:[\w*{][^\n\"']{0,500}+)?[\"']"
    r"|export[ \t]++(?:(?:const|let|var|function|default|class|async)(?!\w)|[{*]))", re.MULTILINE
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*+(?:\n|\Z)")
_CAN_HIDE = re.compile(r"<(?:template|noscript)|hidden|display|visibility|font-size|opacity", re.IGNORECASE)
_HTML_TABLE = re.compile(r"<(?:table|thead|tbody|tr|td|th)\b", re.IGNORECASE)
_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "blockquote_open": "quote",
    "html_block": "paragraph",
    "heading_open": "heading",
}


class MarkdownParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        return parse_markdown(text, components=content.path.lower().endswith(".mdx"))


def parse_markdown(text: str, *, components: bool = False) -> Parsed:
    """The blocks and marks of `text`, kept to the letter but for comments and hidden HTML, which become blanks.

    With `components` (MDX) lines of imports and exports become blanks, too, and tags of components are marks.
    Front matter and the list of properties under the title of a Notion export are in none of the blocks.
    """
    front = split_front_matter(text)
    text = only_seen(text, front.end)
    if components:
        text = _without_scripts(text, front.end)
    all_blocks, markup = read_markdown(text, front.end, components=components)
    blocks = without_properties(text, all_blocks)
    first = next((b.title for b in blocks if b.kind == "heading" and b.level == 1 and b.title), "")
    return Parsed(text, front.title or first, blocks, front.narrowed, markup, owners=front.owners)


def only_seen(text: str, start: int = 0) -> str:
    """`text` with blanks in place of the comments and the hidden elements of HTML behind `start`."""
    body = text[start:]
    if "<!--" in body:
        body = without_comments(body, *_code_and_html(body))
    if _CAN_HIDE.search(body):
        body = without_unseen(body, *_code_and_html(body))
    return text[:start] + body


def _code_and_html(body: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The blocks of each, in order."""
    lines = _line_starts(body, 0)
    blocks: dict[str, list[tuple[int, int]]] = {"fence": [], "code_block": [], "html_block": []}
    for token in _finder().parse(body):
        if token.map is not None and token.type in blocks:
            first, last = (lines[min(n, len(lines) - 1)] for n in token.map)
            blocks[token.type].append((first, last))
    return sorted(blocks["fence"] + blocks["code_block"]), blocks["html_block"]


def _line_starts(text: str, start: int) -> list[int]:
    return [start, *(start + m.end() for m in _NEWLINE.finditer(text[start:])), len(text)]


def _without_scripts(text: str, start: int) -> str:
    code, _ = _code_and_html(text[start:])
    in_code = Blocks(code)
    lines, end = [], 0
    for match in _SCRIPT.finditer(text, start):
        if match.start() >= end and in_code.end_at(match.start() - start) is None:
            blank = _BLANK_LINE.search(text, match.end())       # MDX reads up to there
            end = blank.start() if blank else len(text)
            lines.append((match.start(), end))
    return blanked(text, lines)


def read_markdown(
    text: str, start: int = 0, *, components: bool = False
) -> tuple[tuple[Block, ...], DocumentMarkup]:
    """Top-level blocks of text[start:], in order, and its marks. Every line with a word lies in one block."""
    lines = _line_starts(text, start)
    env: dict[str, Any] = {COMPONENTS: True} if components else {}
    tokens = _finder().parse(text[start:], env)
    return tuple(_blocks(text, start, lines, tokens, env)), markdown_marks(text, lines, tokens, env)


def _blocks(text: str, start: int, lines: list[int], tokens: list["Token"], env: dict[str, Any]) -> Iterator[Block]:
    reached = start
    for i, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if token.level or token.map is None or (kind is None and token.type != "hr"):
            continue
        first, last = (lines[min(n, len(lines) - 1)] for n in token.map)
        yield from paragraphs(text, reached, first)  # link definitions, which have no token
        reached = max(reached, last)
        if kind is None:
            continue
        heading = _title(tokens[i + 1].content, env) if kind == "heading" else ""
        yield from _block(text, kind, first, last, token, heading)
    yield from paragraphs(text, reached, len(text))


def _title(content: str, env: dict[str, Any]) -> str:
    content = _ATTRIBUTES.sub("", content)
    words = shown(content, 0, len(content), Markup(tuple(inline_marks(content, env))))
    return " ".join(_TICKS.sub(r"\2", words).split())


def _block(text: str, kind: BlockKind, start: int, end: int, token: "Token", title: str) -> Iterator[Block]:
    end = start + len(text[start:end].rstrip())
    if kind != "code":
        start = end - len(text[start:end].lstrip())
    if start >= end:
        return
    if kind == "heading":
        if len(title) <= MOST_TITLE:    # what is longer is a paragraph that looks like a heading
            yield Block("heading", start, end, level=int(token.tag[1:]), title=title)
            return
        kind = "paragraph"
    if token.type == "html_block" and _HTML_TABLE.search(text, start, end):
        kind = "table"
    yield Block(kind, start, end)


@cache
def _finder() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # Inline marks are not needed to find blocks; `inline_marks` looks for them where there can be any.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
