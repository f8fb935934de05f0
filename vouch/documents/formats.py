"""Which formats vouch reads, what a citation in each can name, and places as people read them."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

Places = Literal["lines", "pages", "headings"]


@dataclass(frozen=True, slots=True)
class Format:
    """`places` is what a person can find in the file itself.

    `lines`: the text of the document is the file's own, so its lines are those of the file. `pages`: every passage
    knows its page or slide. `headings`: the text was extracted, so its lines are nobody's but vouch's; the headings
    above a passage stand in the file.

    `in_process`: small files are parsed without the sandbox, as the worst of them costs little time and memory.
    """

    name: str
    suffixes: tuple[str, ...]
    places: Places
    in_process: bool = False


FORMATS = (
    Format("markdown", (".md", ".markdown", ".mdown", ".mkd", ".mdx"), "lines", in_process=True),
    Format("html", (".html", ".htm", ".xhtml"), "headings"),
    Format("pdf", (".pdf",), "pages"),
    Format("text", (".txt", ".text", ".org"), "lines", in_process=True),
    Format("restructured", (".rst",), "lines", in_process=True),
    Format("asciidoc", (".adoc", ".asciidoc"), "lines", in_process=True),
    Format("word", (".docx",), "headings"),
    Format("slides", (".pptx",), "pages"),
    Format("sheets", (".xlsx", ".xlsm"), "headings"),
    Format("delimited", (".csv", ".tsv"), "headings"),
    Format("mail", (".eml",), "headings"),
    Format("notebook", (".ipynb",), "headings"),
    Format("richtext", (".rtf",), "headings"),
    Format("opendocument", (".odt",), "headings"),
)
SUFFIXES = frozenset(suffix for form in FORMATS for suffix in form.suffixes)
_BY_SUFFIX = {suffix: form for form in FORMATS for suffix in form.suffixes}


def format_of(path: str) -> Format | None:
    """The format of files named like `path`; None if vouch does not read them."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


def places_of(path: str) -> Places:
    """What a citation of a document at `path` can name; where that is not known, the headings alone."""
    form = format_of(path)
    return form.places if form else "headings"


EMPTY = "is empty"
"""Of a file without a word, wherever it is told."""
_EXPORTED = re.compile(r" [0-9a-f]{32}(?=\.[^./]{1,12}\Z|/|\Z)")


def where(path: str, lines: tuple[int, int], page: int | None) -> str:
    """`page 2`, `line 3` or `lines 3-5`; empty for a document that has neither, such as a web page."""
    if page is not None:
        return f"page {page}"
    if places_of(path) != "lines":
        return ""
    first, last = lines
    return f"line {first}" if first == last else f"lines {first}-{last}"


def shown_path(path: str) -> str:
    """`path` without the 32 digits that exports of Notion put behind every name."""
    return _EXPORTED.sub("", path)


def shown_title(title: str, path: str) -> str:
    """The title on one line, or the file's name if there is none."""
    return shown_path(" ".join(title.split())) or shown_path(PurePosixPath(path).name)
