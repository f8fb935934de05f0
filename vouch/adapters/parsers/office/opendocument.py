"""OpenDocument text (LibreOffice): headings, lists, tables. Its XML is simple enough to be read as it stands."""

from collections.abc import Iterator
from typing import Any

from vouch.adapters.parsers.markdown.writer import MarkdownWriter
from vouch.adapters.parsers.office.container import open_container, safe_tree
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

_NAMES = "urn:oasis:names:tc:opendocument:xmlns"
T = f"{{{_NAMES}:text:1.0}}"
_TABLE = f"{{{_NAMES}:table:1.0}}"
_OFFICE = f"{{{_NAMES}:office:1.0}}"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_UNSEEN = {
    *(f"{T}{name}" for name in ("tracked-changes", "table-of-content", "note-citation")),
    *(f"{_OFFICE}{name}" for name in ("annotation", "annotation-end")),
}
_MOST_COPIES = 100                      # of a cell that says it is repeated
_MOST_SPACES = 100


class OpenDocumentParser:
    def parse(self, content: Content) -> Parsed:
        with open_container(content.data, "document", ".odt") as archive:
            names = set(archive.namelist())
            if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
                raise Unreadable("is protected by a password", cure="save it without one")
            if "content.xml" not in names:
                raise Unreadable("is not an OpenDocument text", cure="check the file")
            body = safe_tree(archive.read("content.xml")).find(f"{_OFFICE}body/{_OFFICE}text")
            title = safe_tree(archive.read("meta.xml")).find(f".//{_TITLE}") if "meta.xml" in names else None
        if body is None:
            raise Unreadable("is not an OpenDocument text", cure="check the file")
        out = MarkdownWriter()
        _read(out, body)
        return out.parsed((title.text or "") if title is not None else "")


def _read(out: MarkdownWriter, parent: Any) -> None:
    for element in parent:
        if element.tag == f"{T}h":
            out.heading(int(element.get(f"{T}outline-level", "1")), text_of(element))
        elif element.tag == f"{T}p":
            out.paragraph(text_of(element))
        elif element.tag == f"{T}list":
            _list(out, element, 0)
        elif element.tag == f"{_TABLE}table":
            out.table(_rows(element))
        elif isinstance(element.tag, str) and element.tag not in _UNSEEN:
            _read(out, element)         # sections, indices, frames


def _list(out: MarkdownWriter, element: Any, depth: int) -> None:
    for item in element:
        if item.tag not in (f"{T}list-item", f"{T}list-header"):
            continue
        for child in item:
            if child.tag == f"{T}list":
                _list(out, child, depth + 1)
            elif child.tag == f"{T}h":
                out.heading(int(child.get(f"{T}outline-level", "1")), text_of(child))
            elif isinstance(child.tag, str):
                out.item(text_of(child), depth)


def text_of(element: Any) -> str:
    return "".join(_words(element))


def _words(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == f"{T}s":
            yield " " * min(int(child.get(f"{T}c", "1")), _MOST_SPACES)
        elif child.tag in (f"{T}tab", f"{T}line-break"):
            yield "\t" if child.tag == f"{T}tab" else "\n"
        elif child.tag == f"{T}note":
            yield from _note(child)
        elif isinstance(child.tag, str) and child.tag not in _UNSEEN:
            yield from _words(child)
            yield "\n" if child.tag == f"{T}p" else ""
        yield child.tail or ""


def _note(note: Any) -> Iterator[str]:
    """A footnote stands in brackets where its number does."""
    words = " ".join("".join(_words(note)).split())
    if words:
        yield f" [{words}]"


def _rows(table: Any) -> Iterator[list[str]]:
    for row in _children(table, f"{_TABLE}table-row"):
        cells: list[str] = []
        for cell in row:
            if cell.tag in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                words = text_of(cell) if cell.tag == f"{_TABLE}table-cell" else ""
                copies = int(cell.get(f"{_TABLE}number-columns-repeated", "1"))
                cells.extend([words] * min(copies, _MOST_COPIES))
        if any(cell.strip() for cell in cells):
            yield cells


def _children(table: Any, tag: str) -> Iterator[Any]:
    for child in table:
        if child.tag == tag:
            yield child
        elif child.tag in (f"{_TABLE}table-header-rows", f"{_TABLE}table-rows", f"{_TABLE}table-row-group"):
            yield from _children(child, tag)
