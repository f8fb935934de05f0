"""What a person sees first of a document in a format that has no front matter: no line there may seem to narrow access.

Somebody who writes `access: [group:hr]` at the top of a Word document means
what it means in Markdown. There it narrows nothing, so the document is refused.
"""

import re
from collections.abc import Iterator

from vouch.adapters.parsers.narrowing.nearly_narrowed import HEAD, is_fence, refuse_nearly_narrowed_lines
from vouch.documents.document import Parsed

CURE = "no line in a file of this kind narrows access: remove it, and write a rule in access.yaml"
_MARK = re.compile(r"(?:[-*•]|\d{1,4}[.)])\s")
_DELIMITERS = re.compile(r"\|[-:|\s]+\|?")


def refuse_shown_narrowing(parsed: Parsed) -> None:
    """Raises Unreadable if what stands first in `parsed`, below its titles, nearly narrows access."""
    if parsed.narrowed is not None:
        return
    said = [(line, kind == "heading") for kind, words in _first(parsed) for line in _lines(kind, words)]
    below = next((n for n, (line, title) in enumerate(said) if not title or is_fence(line)), 0)
    titles, lines = [line for line, _ in said[:below]], [line for line, _ in said[below:]]
    refuse_nearly_narrowed_lines(titles, CURE)
    refuse_nearly_narrowed_lines(lines, CURE)


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
