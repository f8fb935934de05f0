"""Which characters of a run of Markdown are marks: markdown-it decides, this notes where it did.

Its tokens of inline text carry no places, so each rule is wrapped and the
places are taken while it runs.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from vouch.adapters.parsers.spans import apart
from vouch.documents.text.markup import TAGS
from vouch.documents.text.span import Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

LONGEST = 10_000                        # characters of one paragraph; beyond that it is shown with its marks
_KEY = "vouch.marks"
_NO_MARK = "x"
_ANY = re.compile(r"[*_\[\\<&]|\{%")
_TEMPLATE = re.compile(r"\{%(?:[^\"{}%]*\"([^\"{}]*)\")?[^{}]*%\}")     # of static sites; the first argument stays
_DUNDER = re.compile(r"__[a-z][a-z0-9]*(?:_[a-z0-9]+)*__")      # a name in every program, bold in no document
_POWER = re.compile(r"(?<=\d)\*{1,2}(?=\d)")     # 2**10 and 3*4 are sums; without the marks they are other numbers
_COMPONENT = re.compile(r"(?<!\w)</?[A-Z][\w.]{0,100}+(?:[\s/][^<>]{0,2000}+)?>")     # of MDX
COMPONENTS = "vouch.components"         # in the `env` of documents that have them
FOOTNOTES = "vouch.footnotes"           # in `env`: the labels of those that the document defines
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,40}+)\](?!:)")
_TAG = re.compile(rf"</?(?:{TAGS})(?=[\s/>])[^<>]{{0,2000}}>", re.IGNORECASE)


def inline_marks(content: str, env: dict[str, Any]) -> list[Span]:
    """Ranges of the marks in the inline text `content`, in order, apart from each other.

    `env` holds the link definitions of the document. Marks are those of
    emphasis, links, images, escapes, known HTML tags, comments, template tags,
    references to footnotes and entities such as &mdash;, each of those a range
    of its own; code spans keep theirs, and what only looks like a tag is text.
    """
    if len(content) > LONGEST or not _ANY.search(content):
        return []
    content = _POWER.sub(lambda found: _NO_MARK * len(found[0]), content)
    from markdown_it.rules_inline import StateInline

    finder = inline_finder()
    noted = _Noted()
    state = StateInline(content, finder, {**env, _KEY: noted}, [])
    noted.state = state
    finder.inline.tokenize(state)
    for rule in finder.inline.ruler2.getRules(""):
        rule(state)
    names = [match.span() for match in _DUNDER.finditer(content)] if noted.signs else []
    noted.spans += [
        (at, at + 1) for at, token in noted.signs
        if (token.type != "text" or not token.content) and not any(a <= at < b for a, b in names)
    ]
    for match in _TEMPLATE.finditer(content) if "{%" in content else ():
        if not any(a <= match.start() < b for a, b in noted.code):
            inner = match.span(1)
            noted.spans += [match.span()] if inner[0] < 0 else [(match.start(), inner[0]), (inner[1], match.end())]
    for match in (*_FOOTNOTE.finditer(content), *(_COMPONENT.finditer(content) if COMPONENTS in env else ())):
        meant = match[0][0] == "<" or match[1] in env.get(FOOTNOTES, ())
        if meant and not any(a <= match.start() < b for a, b in noted.code):
            noted.spans.append(match.span())
    return apart(noted.spans, noted.entities)


def tag_marks(text: str, start: int, end: int, *, components: bool = False) -> list[Span]:
    """Ranges of the known tags, of comments and perhaps of components in a block of HTML."""
    marks: list[Span] = []
    while start < end:
        opened = text.find("<!--", start, end)
        closed = text.find("-->", opened + 4, end) if opened >= 0 else -1
        stop = opened if closed >= 0 else end
        for pattern in (_TAG, _COMPONENT)[: 1 + components]:
            marks += [match.span() for match in pattern.finditer(text, start, stop)]
        if closed >= 0:
            marks.append((opened, closed + 3))
        start = closed + 3 if closed >= 0 else end
    return marks


class _Noted:
    def __init__(self) -> None:
        self.state: Any = None
        self.spans: list[Span] = []
        self.code: list[Span] = []
        self.entities: list[Span] = []
        self.signs: list[tuple[int, Token]] = []      # asterisks and underscores, which may turn out to be text


Rule = Callable[["StateInline", bool], bool]
Note = Callable[[_Noted, "StateInline", int], None]


def _noting(rule: Rule, note: Note) -> Rule:
    def noting(state: "StateInline", silent: bool) -> bool:
        start = state.pos
        if not rule(state, silent):
            return False
        noted = state.env.get(_KEY)
        if not silent and noted is not None and noted.state is state:
            note(noted, state, start)
        return True

    return noting


def _emphasis(noted: _Noted, state: "StateInline", start: int) -> None:
    count = state.pos - start
    noted.signs += [(start + n, token) for n, token in enumerate(state.tokens[len(state.tokens) - count :])]


def _escape(noted: _Noted, state: "StateInline", start: int) -> None:
    token = state.tokens[-1]
    if token.type == "hardbreak" or token.content != token.markup:
        noted.spans.append((start, start + 1))


def _backticks(noted: _Noted, state: "StateInline", start: int) -> None:
    noted.code.append((start, state.pos))


def _link(noted: _Noted, state: "StateInline", start: int) -> None:
    end = state.md.helpers.parseLinkLabel(state, start, True)
    noted.spans += [(start, start + 1), (end, state.pos)]


def _image(noted: _Noted, state: "StateInline", start: int) -> None:
    end = state.md.helpers.parseLinkLabel(state, start + 1, False)
    noted.spans += [(start, start + 2), (end, state.pos)]


def _autolink(noted: _Noted, state: "StateInline", start: int) -> None:
    noted.spans += [(start, start + 1), (state.pos - 1, state.pos)]


def _entity(noted: _Noted, state: "StateInline", start: int) -> None:
    noted.entities.append((start, state.pos))


def _html(noted: _Noted, state: "StateInline", start: int) -> None:
    if state.src.startswith("<!--", start) or _TAG.fullmatch(state.src, start, state.pos):
        noted.spans.append((start, state.pos))


@cache
def inline_finder() -> "MarkdownIt":
    from markdown_it import MarkdownIt, rules_inline

    finder = MarkdownIt("commonmark").disable("fragments_join")
    rules: dict[str, tuple[Rule, Note]] = {
        "emphasis": (rules_inline.emphasis.tokenize, _emphasis),
        "escape": (rules_inline.escape, _escape),
        "backticks": (rules_inline.backtick, _backticks),
        "link": (rules_inline.link, _link),
        "image": (rules_inline.image, _image),
        "autolink": (rules_inline.autolink, _autolink),
        "entity": (rules_inline.entity, _entity),
        "html_inline": (rules_inline.html_inline, _html),
    }
    for name, (rule, note) in rules.items():
        finder.inline.ruler.at(name, _noting(rule, note))
    return finder
