"""Which parser reads which file, and the one place where parsers' failures become reasons."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from vouch.adapters.filesystem.foreign_files import odd_name
from vouch.adapters.parsers.narrowing.nearly_narrowed import refuse_shown_narrowing
from vouch.adapters.parsers.plain.text import short_title
from vouch.broken import broken
from vouch.documents.document import Content, Parsed
from vouch.documents.formats import SUFFIXES, format_of
from vouch.errors import Unreadable
from vouch.ports.ingestion import Parser

MOST_PAGES = 5_000
_PARSERS = {                            # a module is imported when a file of its format is met
    "markdown": "markdown.parser.MarkdownParser",
    "html": "web.html.HtmlParser",
    "pdf": "pdf.PdfParser",
    "text": "plain.text.TextParser",
    "restructured": "plain.restructured.RestructuredParser",
    "asciidoc": "plain.asciidoc.AsciidocParser",
    "word": "office.word.WordParser",
    "slides": "office.slides.SlidesParser",
    "sheets": "tables.sheets.SheetsParser",
    "delimited": "tables.delimited.DelimitedParser",
    "mail": "web.mail.MailParser",
    "notebook": "notebook.NotebookParser",
    "richtext": "office.richtext.RichTextParser",
    "opendocument": "office.opendocument.OpenDocumentParser",
}
# They look at their own top. HTML does too, but what it shows first is not what stands first in the file.
_READ_FRONT_MATTER = {"markdown", "text", "restructured", "asciidoc", "notebook"}
_CURES = {                              # for what is met often and not read
    **dict.fromkeys((".doc", ".dot", ".docm", ".wpd", ".pages"), "save it as .docx"),
    **dict.fromkeys((".ppt", ".pps", ".pptm", ".ppsx", ".key", ".odp"), "save it as .pptx"),
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers"), "save it as .xlsx"),
    ".msg": "save it as .eml",
    ".epub": "save it as .html",
}
_DEEP = "Excessive depth in document"   # libxml2


def unread_kind(path: str) -> str:
    """Why vouch does not read files named like `path`; empty if it does."""
    if reason := odd_name(path):
        return reason
    if format_of(path):
        return ""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _CURES:
        return f"{suffix} files are not read ({_CURES[suffix]})"
    return f"{suffix} files are not read" if suffix else "files without a known suffix are not read"


def too_large(most_bytes: int) -> Unreadable:
    cure = "split it, or raise VOUCH_INGEST__MAX_DOCUMENT_BYTES"
    return Unreadable(f"is larger than {most_bytes:,} bytes", cure=cure)


def parser_for(path: str, most_pages: int = MOST_PAGES) -> Parser:
    """The parser for the format of file that `path` names. Raises Unreadable if there is none."""
    form = format_of(path)
    if form is None:
        raise Unreadable(unread_kind(path), cure=f"vouch reads {' '.join(sorted(SUFFIXES))}")
    module, _, name = _PARSERS[form.name].rpartition(".")
    made: Callable[..., Parser] = getattr(import_module(f"vouch.adapters.parsers.{module}"), name)
    given: dict[str, Any] = {"most_pages": most_pages} if form.places == "pages" else {}
    return made(**given)


def parse(content: Content, most_pages: int = MOST_PAGES) -> Parsed:
    """The document that `content` is.

    Raises Unreadable, whatever the parser stumbled over, or MemoryError.
    Nothing here bounds time and memory: see vouch.adapters.sandbox.
    """
    try:
        parsed = parser_for(content.path, most_pages).parse(content)
        form = format_of(content.path)
        if form is None or form.name not in _READ_FRONT_MATTER:
            refuse_shown_narrowing(parsed)
        return replace(parsed, title=short_title(parsed.title))
    except (Unreadable, MemoryError):
        raise
    except RecursionError as error:
        raise Unreadable("is nested too deep to be parsed", cure="simplify it") from error
    except Exception as error:  # parsers meet hostile files; whatever breaks in them breaks this document only
        if _DEEP in str(error):
            raise Unreadable("is nested too deep to be parsed", cure="simplify it") from error
        raise Unreadable(f"cannot be parsed: {_why(error)}", cure="open it in its program and save it again") from error


def _why(error: Exception) -> str:
    """What the parser stumbled over, as far as its kind tells; the words of libraries are for programmers."""
    if told := broken(error):
        return told
    if isinstance(error, SyntaxError) or type(error).__name__ == "ExpatError":
        line = getattr(error, "lineno", None)
        return "the XML in it is broken" + (f" at its line {line}" if line else "")
    if type(error).__module__.startswith("pypdf"):
        return "it is damaged, or only a piece of a PDF"
    if isinstance(error, KeyError):
        return "a part of it is missing"
    return f"what it holds is not as its format asks ({type(error).__name__})"


class DocumentParser:
    """The Parser of all kinds, chosen by the content's path."""

    def parse(self, content: Content) -> Parsed:
        return parse(content)
