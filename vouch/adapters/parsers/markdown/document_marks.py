"""The marks of a Markdown document, from markdown-it's tokens: theirs are the lines, the columns are found again."""

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from vouch.adapters.parsers.markdown.inline_marks import COMPONENTS, FOOTNOTES, inline_marks, tag_marks
from vouch.adapters.parsers.spans import apart
from vouch.documents.text.markup import DocumentMarkup
from vouch.documents.text.span import Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_CELLS = ("td_open", "th_open")
_DEFINITION = re.compile(r"^[ \t]*\[(?!\^)[^\]\n]{1,1000}\]:[ \t]*(\S{1,2000})[^\n]*", re.MULTILINE)
_NOTE = re.compile(r"^[ \t>]*+(?P<mark>\[\^([^\]\s]{1,40}+)\]:[ \t]*+)", re.MULTILINE)     # defines a footnote
_EMPTY = re.compile(r"(?<!\S)([-*+]|\d{1,9}[.)])[ \t]{0,100}\n?\Z")
_MARKER = re.compile(r"[ \t>]*([-*+]|\d{1,9}[.)])[ \t]")
_ADDRESS = ("://", "mailto:", "/", "#", "./", "../", "www.", "<")


def markdown_marks(text: str, lines: list[int], tokens: list["Token"], env: dict[str, Any]) -> DocumentMarkup:
    """`lines` are where the lines that the tokens count begin, and the end of the text; `env` holds link definitions.

    What cannot be found again in its line is left as it is: then a mark is shown, and no word is lost.
    """
    notes = list(_NOTE.finditer(text, lines[0])) if "[^" in text else []
    env = {**env, FOOTNOTES: {note[2] for note in notes}}
    return _Gatherer(text, lines, env, [(note.start("mark"), note.end()) for note in notes]).gather(tokens)


class _Gatherer:
    def __init__(self, text: str, lines: list[int], env: dict[str, Any], notes: list[Span]) -> None:
        self._text = text
        self._lines = lines
        self._env = env
        self._notes = notes
        self._hidden: list[Span] = []
        self._entities: list[Span] = []
        self._code: list[Span] = []
        self._lists: list[list[int]] = []
        self._ends: list[int] = []
        self._reached = 0                               # in a table row, behind its last cell
        self._item = (-1, 0)                            # the line of the last item, and how many more begin on it

    def gather(self, tokens: list["Token"]) -> DocumentMarkup:
        reached = self._lines[0]
        for before, token in pairwise([tokens[0], *tokens]) if tokens else ():
            if (before.type, token.type) == ("list_item_open", "list_item_close"):
                self._empty_item(before)
            if token.type == "list_item_open":
                self._item_in_item(token)
            if token.map is None:
                continue
            first, last = self._line(token.map[0]), self._line(token.map[1])
            if token.level == 0:
                self._definitions(reached, first)
                reached = max(reached, last)
            if token.type == "inline":
                self._inline(token, cell=before.type in _CELLS)
            elif token.type in ("fence", "code_block"):
                self._block_of_code(token, first, last)
            elif token.type == "html_block":
                self._before_lines(token)
                self._hidden += tag_marks(self._text, first, last, components=COMPONENTS in self._env)
            elif token.level == 0 and token.type in ("bullet_list_open", "ordered_list_open"):
                self._lists.append([])
                self._ends.append(self._trimmed(first, last))
            elif token.level == 1 and token.type == "list_item_open":
                self._lists[-1].append(last - len(self._text[first:last].lstrip()))
        self._definitions(reached, self._lines[-1])
        lists = (sorted({*items, end}) for items, end in zip(self._lists, self._ends, strict=True))
        code = apart(self._code)
        notes = [(a, b) for a, b in self._notes if not any(start <= a < end for start, end in code)]
        hidden = apart([*self._hidden, *notes], self._entities)
        return DocumentMarkup(tuple(hidden), tuple(code), tuple(map(tuple, lists)))

    def _definitions(self, start: int, end: int) -> None:
        """Between blocks only definitions of links stand; one without an address, or a footnote, was meant as words."""
        for match in _DEFINITION.finditer(self._text, start, end) if start < end else ():
            if match[1].startswith(_ADDRESS) or "://" in match[1]:
                self._hidden.append((match.start(), match.start() + len(match[0].rstrip())))

    def _item_in_item(self, token: "Token") -> None:
        """Of items that begin on one line, as in "1. * words", only the first mark is one that is looked for."""
        assert token.map is not None
        line, more = token.map[0], self._item[1]
        more = more + 1 if line == self._item[0] else 0
        self._item, at = (line, more), self._line(line)
        for n in range(more + 1):
            mark = _MARKER.match(self._text, at)
            if mark is None:
                return
            at = mark.end()
            if n == more and n:
                self._hidden.append((mark.start(1), mark.end()))

    def _empty_item(self, token: "Token") -> None:
        """A mark with nothing behind it in its line."""
        assert token.map is not None
        first = self._line(token.map[0])
        mark = _EMPTY.search(self._text[first : self._line(token.map[0] + 1)])
        if mark:
            self._hidden.append((first + mark.start(1), first + mark.end(1)))

    def _line(self, number: int) -> int:
        return self._lines[min(number, len(self._lines) - 1)]

    def _trimmed(self, start: int, end: int) -> int:
        return start + len(self._text[start:end].rstrip())

    def _inline(self, token: "Token", *, cell: bool) -> None:
        marks = inline_marks(token.content, self._env)
        if not cell and not marks and "\n" not in token.content:
            return
        places = self._cell(token) if cell else self._places(token)
        starts = [0]
        for line in token.content.split("\n"):
            starts.append(starts[-1] + len(line) + 1)

        def place(at: int, k: int) -> int | None:
            line_start = places[k]
            return None if line_start is None else line_start + at - starts[k]

        k = 0
        for start, end in marks:
            while starts[k + 1] <= start:
                k += 1
            last = k
            while starts[last + 1] < end:
                last += 1
            a, b = place(start, k), place(end - 1, last)
            if a is not None and b is not None and a <= b:
                (self._entities if self._text[a] == "&" else self._hidden).append((a, b + 1))

    def _cell(self, token: "Token") -> list[int | None]:
        """Where the words of a table's cell stand; cells come in order."""
        assert token.map is not None
        first, last = self._line(token.map[0]), self._line(token.map[1])
        self._reached = max(self._reached, first)
        at = self._text.find(token.content, self._reached, last) if token.content else -1
        self._reached = at + len(token.content) if at >= 0 else self._reached
        return [at if at >= 0 else None]

    def _places(self, token: "Token") -> list[int | None]:
        """Where each line of a paragraph begins; what stands before it in its line is hidden, if it is more than space.

        Each is the end of a line: what is before belongs to the quotes and items around it.
        """
        assert token.map is not None
        places: list[int | None] = []
        for k, line in enumerate(token.content.split("\n")):
            first, last = self._line(token.map[0] + k), self._line(token.map[0] + k + 1)
            at = self._text.rfind(line, first, last)
            places.append(at if at >= 0 else None)
            if k and at > first and self._text[first:at].strip():
                self._hidden.append((first, at))
        return places

    def _before_lines(self, token: "Token") -> None:
        """Of HTML in a quote: what stands before its lines is a mark, though nothing inside them is."""
        assert token.map is not None
        for k, line in enumerate(token.content.rstrip().split("\n")):
            first, last = self._line(token.map[0] + k), self._line(token.map[0] + k + 1)
            at = self._text.rfind(line, first, last) if line else first
            if k and at > first and self._text[first:at].strip():
                self._hidden.append((first, at))

    def _block_of_code(self, token: "Token", first: int, last: int) -> None:
        assert token.map is not None
        fenced = token.type == "fence"
        start = self._text.find(token.markup, first, last) if fenced else first
        end = self._trimmed(first, last)
        if not 0 <= start < end:
            return
        self._code.append((start, end))
        for k, line in enumerate(token.content.split("\n")[:-1], token.map[0] + fenced):
            at, stop = self._line(k), self._trimmed(self._line(k), self._line(k + 1))
            words = line.rstrip()
            if self._text.endswith(words, at, stop) and stop - len(words) > at:
                self._hidden.append((at, stop - len(words)))
