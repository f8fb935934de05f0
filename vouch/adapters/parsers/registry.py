"""Which parser reads which file, and the one place where parsers' failures become reasons."""

from pathlib import PurePosixPath

from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable
from vouch.ports import Parser

_KINDS = {
    "markdown": (".md", ".markdown", ".mdown", ".mkd", ".mdx"),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
    "text": (".txt", ".text", ".rst", ".adoc", ".org"),
}
_KIND_OF = {suffix: kind for kind, suffixes in _KINDS.items() for suffix in suffixes}
SUFFIXES = frozenset(_KIND_OF)


def unread_kind(path: str) -> str:
    """Why vouch does not read files named like `path`; empty if it does."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in SUFFIXES:
        return ""
    return f"{suffix} files are not read" if suffix else "files without a known suffix are not read"


def parser_for(path: str) -> Parser:
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

        return PdfParser()
    if kind == "text":
        from vouch.adapters.parsers.text import TextParser

        return TextParser()
    raise Unreadable(unread_kind(path), cure=f"vouch reads {' '.join(sorted(SUFFIXES))}")


def parse(content: Content) -> Parsed:
    """The document that `content` is. Raises Unreadable, whatever the parser stumbled over."""
    try:
        return parser_for(content.path).parse(content)
    except Unreadable:
        raise
    except (RecursionError, MemoryError) as error:
        raise Unreadable("is nested too deep or too large to take apart", cure="simplify or split it") from error
    except Exception as error:  # parsers meet hostile files; whatever breaks in them breaks this document only
        reason = " ".join(str(error).split())[:200]
        raise Unreadable(f"cannot be taken apart ({type(error).__name__}: {reason})", cure="repair the file") from error


class DocumentParser:
    """The Parser of all kinds, chosen by the content's path."""

    def parse(self, content: Content) -> Parsed:
        return parse(content)
