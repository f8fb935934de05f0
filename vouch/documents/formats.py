"""Which formats of files vouch reads, and what a citation in each of them can name."""

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
    """

    name: str
    suffixes: tuple[str, ...]
    places: Places


FORMATS = (
    Format("markdown", (".md", ".markdown", ".mdown", ".mkd", ".mdx"), "lines"),
    Format("html", (".html", ".htm", ".xhtml"), "headings"),
    Format("pdf", (".pdf",), "pages"),
    Format("text", (".txt", ".text", ".org"), "lines"),
    Format("restructured", (".rst",), "lines"),
    Format("asciidoc", (".adoc", ".asciidoc"), "lines"),
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
