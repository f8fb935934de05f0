"""Which parser reads which file, and the one place where parsers' failures become reasons."""

import re
from dataclasses import replace
from pathlib import PurePosixPath

from vouch.adapters.odd_names import odd_name
from vouch.adapters.parsers.text import short_title
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable
from vouch.ports.parser import Parser

MOST_PAGES = 5_000
_KINDS = {
    "markdown": (".md", ".markdown", ".mdown", ".mkd", ".mdx"),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
    "text": (".txt", ".text", ".rst", ".adoc", ".org"),
}
_KIND_OF = {suffix: kind for kind, suffixes in _KINDS.items() for suffix in suffixes}
_ADDRESS = re.compile(r",? ?(?:0x[0-9a-f]{6,}|\b\d{12,}\b)")   # of objects in memory: not twice the same
SUFFIXES = frozenset(_KIND_OF)


def unread_kind(path: str) -> str:
    """Why vouch does not read files named like `path`; empty if it does."""
    if reason := odd_name(path):
        return reason
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in SUFFIXES:
        return ""
    return f"{suffix} files are not read" if suffix else "files without a known suffix are not read"


def too_large(most_bytes: int) -> Unreadable:
    cure = "split it, or raise VOUCH_INGEST__MAX_DOCUMENT_BYTES"
    return Unreadable(f"is larger than {most_bytes:,} bytes", cure=cure)


def is_plain(path: str) -> bool:
    """Whether files named like `path` hold the very text that people see."""
    return _KIND_OF.get(PurePosixPath(path).suffix.lower()) in ("markdown", "text")


def parser_for(path: str, most_pages: int = MOST_PAGES) -> Parser:
    """The parser for the kind of file that `path` names. Raises Unreadable if there is none."""
    kind = _KIND_OF.get(PurePosixPath(path).suffix.lower())
    if kind == "markdown":
        from vouch.adapters.parsers.markdown import MarkdownParser

        return MarkdownParser()
    if kind == "html":
        from vouch.adapters.parsers.html import HtmlParser

        return HtmlParser()
    if kind == "pdf":
        from vouch.adapters.parsers.pdf import PdfParser

        return PdfParser(most_pages)
    if kind == "text":
        from vouch.adapters.parsers.text import TextParser

        return TextParser()
    raise Unreadable(unread_kind(path), cure=f"vouch reads {' '.join(sorted(SUFFIXES))}")


def parse(content: Content, most_pages: int = MOST_PAGES) -> Parsed:
    """The document that `content` is.

    Raises Unreadable, whatever the parser stumbled over, or MemoryError.
    Nothing here bounds time and memory: see vouch.adapters.parsing.
    """
    try:
        parsed = parser_for(content.path, most_pages).parse(content)
        return replace(parsed, title=short_title(parsed.title))
    except (Unreadable, MemoryError):
        raise
    except RecursionError as error:
        raise Unreadable("is nested too deep to take apart", cure="simplify it") from error
    except Exception as error:  # parsers meet hostile files; whatever breaks in them breaks this document only
        reason = " ".join(_ADDRESS.sub("", str(error)).split())[:200]
        raise Unreadable(f"cannot be taken apart ({type(error).__name__}: {reason})", cure="repair the file") from error


class DocumentParser:
    """The Parser of all kinds, chosen by the content's path."""

    def parse(self, content: Content) -> Parsed:
        return parse(content)
