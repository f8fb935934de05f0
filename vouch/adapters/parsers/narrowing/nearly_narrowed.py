"""What stands or is shown at the top and seems to narrow access, but not in the form that counts.

Editors change what people type: `---` becomes a long dash, a blank one that does
not break, a colon a wide one. Taken for prose, such lines would narrow nothing.

Somebody who writes `access: [group:hr]` at the top of a Word document means
what it means in Markdown. There it narrows nothing, so the document is refused.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any

from vouch.access import parse_tag
from vouch.documents.document import Parsed
from vouch.errors import BadInput, Unreadable

HEAD = 64 * 1024                        # characters looked at
_LONGEST_FENCE = 300
_FIRST_LINES = 10                       # of a document whose blank lines are not known
CURE = "write a line ---, a line `access: TAG` or `access: [TAG, …]`, and a line ---, at the very top"
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DASH = "-\u2010-\u2015\u2212\u2500\u2501\u2e3a\u2e3b"
_FENCE = re.compile(rf"(?:-{{3}}(?=\s)(?P<rest>.*)|(?P<signs>(?:[{_DASH}]\s*+){{1,4}}+|\+{{2,4}}+)\s*+(?:#.*)?)")
_KEY = re.compile(r"[^\w\n#]*access[\"'\s]*[:=]", re.IGNORECASE)       # behind a # it is out of force on purpose
_KEY_AND_TAG = re.compile(rf"(?:\s*#\+)?{_KEY.pattern}.*\b(?:group|user)\s*:\s*\S", re.IGNORECASE)
_FIELD = re.compile(r"\W*\w[\w -]{0,40}+[\"']?\s*[:=]")


def folded(text: str) -> str:
    """`text` without what nobody sees in it, wide and unusual forms of letters written as the usual ones."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def refuse_nearly_narrowed(text: str, cure: str = CURE) -> None:
    """Raises Unreadable if the top of `text`, which has no front matter, nearly narrows access.

    Looked at are the first lines up to a blank one, with HTML comments above
    them, and if they begin with a line that is nearly `---` or `+++`, those up
    to the next such line.
    """
    head = text[:HEAD]
    comments = 0
    while (comment := _COMMENT.match(head, _blank(head, comments))) is not None:
        comments = comment.end()
    above, lines = folded(head[:comments]).splitlines(), folded(head[comments:]).splitlines()
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    top = lines[first:]
    if top and is_fence(top[0]):
        _refuse(_inside(top, _until_blank), _KEY.match, cure)
    _refuse([*above, *_until_blank(top)], _KEY_AND_TAG.match, cure)


def refuse_nearly_narrowed_lines(lines: list[str], cure: str) -> None:
    """The same of lines with words that are all that is known: blank ones between them tell nothing.

    Looked at are the first few, and if they begin with a line that is nearly
    `---`, those up to the next such line, or else those that look like fields.
    """
    lines = [folded(line) for line in lines]
    if lines and is_fence(lines[0]):
        _refuse(_inside(lines, _fields), _KEY.match, cure)
    _refuse(lines[:_FIRST_LINES], _KEY_AND_TAG.match, cure)


def refuse_hidden_key(fields: dict[Any, Any], block: str) -> None:
    """Raises Unreadable if front matter without an `access:` at its top says it elsewhere or nearly."""
    for key, value, depth in _keys(fields):
        name = folded(key).strip().casefold()
        if name == "access" or (not depth and _is_near(name) and _are_tags(value)):
            raise Unreadable(f"front matter: {key!r} is not the key `access` at its top level", cure=CURE)
    _refuse(folded(block).splitlines(), _KEY_AND_TAG.match, CURE)


def names_access(block: str) -> bool:
    """Whether a line of `block` begins with something like `access:`."""
    return any(_KEY.match(line) for line in folded(block).splitlines())


def is_fence(line: str) -> bool:
    """Nearly `---` or `+++`: up to four signs, or dashes with a comment; one plain hyphen is a list."""
    found = _fence(line)
    return found is not None and (found["signs"] is None or found["signs"].strip() != "-")


def _fence(line: str) -> re.Match[str] | None:
    return _FENCE.fullmatch(line.strip()[:_LONGEST_FENCE])


def _blank(text: str, start: int) -> int:
    while start < len(text) and (text[start].isspace() or _UNSEEN.match(text[start])):
        start += 1
    return start


def _inside(lines: list[str], unclosed: Callable[[list[str]], list[str]]) -> list[str]:
    """From a fence, whose own words count too, to the next; without a next one what `unclosed` leaves."""
    opening = _fence(lines[0])
    begun = [(opening["rest"] or "") if opening else ""]
    end = next((n for n, line in enumerate(lines) if n and (is_fence(line) or line.strip() == "...")), None)
    return [*begun, *(lines[1:end] if end is not None else unclosed(lines[1:]))]


def _until_blank(lines: list[str]) -> list[str]:
    return lines[: next((n for n, line in enumerate(lines) if not line.strip()), len(lines))]


def _fields(lines: list[str]) -> list[str]:
    return list(takewhile(_FIELD.match, lines))


def _refuse(lines: list[str], looks: Callable[[str], object], cure: str) -> None:
    found = next((line for line in lines if looks(line)), None)
    if found is not None:
        said = found.strip()[:60]
        raise Unreadable(f"its first lines look like an access: line, but not in a valid form: {said!r}", cure=cure)


def _keys(fields: Any, depth: int = 0) -> Iterator[tuple[str, Any, int]]:
    if isinstance(fields, dict):
        for key, value in fields.items():
            if isinstance(key, str):
                yield key, value, depth
            yield from _keys(value, depth + 1)
    elif isinstance(fields, list):
        for value in fields:
            yield from _keys(value, depth + 1)


def _is_near(name: str) -> bool:
    return "acces" in name or difflib.SequenceMatcher(None, name[:20], "access").ratio() > 0.9


def _are_tags(value: Any) -> bool:
    try:
        return bool([parse_tag(tag) for tag in (value if isinstance(value, list) else [value])])
    except BadInput:
        return False


SHOWN_CURE = "no line in a file of this kind narrows access: remove it, and write a rule in access.yaml"
_MARK = re.compile(r"(?:[-*•]|\d{1,4}[.)])\s")
_DELIMITERS = re.compile(r"\|[-:|\s]+\|?")


def refuse_shown_narrowing(parsed: Parsed) -> None:
    """Raises Unreadable if what stands first in `parsed`, below its titles, nearly narrows access."""
    if parsed.narrowed is not None:
        return
    said = [(line, kind == "heading") for kind, words in _first(parsed) for line in _lines(kind, words)]
    below = next((n for n, (line, title) in enumerate(said) if not title or is_fence(line)), 0)
    titles, lines = [line for line, _ in said[:below]], [line for line, _ in said[below:]]
    refuse_nearly_narrowed_lines(titles, SHOWN_CURE)
    refuse_nearly_narrowed_lines(lines, SHOWN_CURE)


def _first(parsed: Parsed) -> Iterator[tuple[str, str]]:
    """What the first blocks are and say; what stands between them (a rule of Markdown is no block) counts too."""
    reached, end = parsed.begins, parsed.begins + HEAD
    for block in parsed.blocks:
        if block.start >= end:
            break
        if block.start >= reached:
            yield "", parsed.text[reached : block.start]
            yield block.kind, block.title if block.kind == "heading" else parsed.text[block.start : min(block.end, end)]
            reached = block.end
    yield "", parsed.text[reached:end]


def _lines(kind: str, words: str) -> Iterator[str]:
    """The lines with words, without what vouch wrote for their form."""
    for line in words.splitlines():
        if kind == "table":
            line = "" if _DELIMITERS.fullmatch(line) else line.strip("| \t").replace(" | ", ": ", 1)
        elif kind == "list":
            line = line.strip()
            mark = _MARK.match(line)
            line = line[mark.end() :] if mark else line
        if line.strip():
            yield line
