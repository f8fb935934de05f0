"""Keeps the headings of a web page apart from the sentences beside them, which the extractor of articles glues."""

import re
from typing import Any

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = {"ul": ("li",), "ol": ("li",), "dl": ("dt", "dd")}
_ROWS = ("thead", "tbody", "tfoot", "tr", "td", "th")
_GLUED = re.compile(r"(?:(?<=\S)[ \t]+|^[ \t]{4,})(#{1,6} +)(?=\S)", re.MULTILINE)


def part_items(tree: Any) -> None:
    """Afterwards, in place, no heading shares a list item or a table cell with other words.

    A list or table of sections becomes plain divisions; a heading alone in its cell becomes bold.
    """
    for element in list(tree.iter(*_LISTS)):
        items = [child for child in element if child.tag in _LISTS[element.tag]]
        if any(_heads(item) for item in items):
            for one in (element, *items):
                one.tag = "div"
    for table in list(tree.iter("table")):
        cells = [cell for cell in table.iter("td", "th") if next(cell.iter(*HEADINGS), None) is not None]
        if any(_heads(cell) for cell in cells):
            for one in list(table.iter("table", *_ROWS)):
                one.tag = "div"
        else:
            for heading in [heading for cell in cells for heading in cell.iter(*HEADINGS)]:
                heading.tag = "b"


def part_headings(text: str, tree: Any) -> str:
    """The extracted `text`, with a line of its own for each heading of the page that is indented or glued into one."""
    if not _GLUED.search(text):
        return text
    headings = sorted({_words(heading) for heading in tree.iter(*HEADINGS)} - {""}, key=len, reverse=True)
    return "\n".join(_parted(line, headings) for line in text.split("\n"))


def _parted(line: str, headings: list[str]) -> str:
    for glued in _GLUED.finditer(line):
        rest = line[glued.end() :]
        heading = next((h for h in headings if rest.startswith(h)), None)
        if heading is not None:
            parts = (line[: glued.start()].rstrip(), f"{glued[1]}{heading}", rest[len(heading) :].strip())
            return "\n\n".join(part for part in parts if part)
    return line


def _heads(element: Any) -> bool:
    """Whether a heading stands in it, and other words too."""
    heading = next(element.iter(*HEADINGS), None)
    return heading is not None and len(_words(element)) > len(_words(heading))


def _words(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())
