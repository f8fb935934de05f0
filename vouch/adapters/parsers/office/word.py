"""Word documents: headings, numbered and plain lists, tables, footnotes. What was deleted or is hidden is left out."""

import io
from collections.abc import Iterator
from typing import Any

from vouch.adapters.parsers.markdown.writer import MarkdownWriter, one_line
from vouch.adapters.parsers.office.container import open_container
from vouch.adapters.parsers.office.word_styles import Numbering, Styles
from vouch.documents.document import Content, Parsed

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_UNSEEN = {f"{W}del", f"{W}moveFrom", f"{W}rPr", f"{W}pPr", f"{W}footnoteReference", _FALLBACK}
_WRAPPERS = {f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")}


class WordParser:
    def parse(self, content: Content) -> Parsed:
        open_container(content.data, "Word document", ".docx").close()
        import docx

        document = docx.Document(io.BytesIO(content.data))
        reader = _Reader(document)
        reader.read(document.element.body)
        reader.footnotes()
        parsed = reader.out.parsed()
        return parsed if parsed.title else reader.out.parsed(document.core_properties.title or "")


class _Reader:
    def __init__(self, document: Any) -> None:
        self.out = MarkdownWriter()
        self._document = document
        self._styles = Styles(document.styles.element)
        self._numbering = Numbering(_related(document, "numbering"))
        body = document.element.body
        titled = any(self._styles.level(p) == 0 for p in body.iter(f"{W}p"))
        self._down = 1 if titled else 0     # below a title the headings go down by one

    def read(self, parent: Any) -> None:
        for element in _blocks(parent):
            if element.tag == f"{W}tbl":
                self.out.table(_rows(element))
            else:
                self._paragraph(element)

    def footnotes(self) -> None:
        notes = _related(self._document, "footnotes")
        for note in notes.findall(f"{W}footnote") if notes is not None else ():
            words = one_line(text_of(note))
            if words and note.get(f"{W}type") in (None, "normal"):
                self.out.paragraph(f"Footnote {note.get(f'{W}id')}: {words}")

    def _paragraph(self, element: Any) -> None:
        if self._styles.is_contents(element):
            return
        text = text_of(element).strip()
        level = self._styles.level(element)
        label, depth = self._numbering.label(*self._styles.numbered(element)) if text else (None, 0)
        if level is not None:
            self.out.heading(level + self._down, f"{label} {text}" if label else text)
        elif label is not None:
            plain = not label or label[:-1].isdigit()
            self.out.item(text if plain else f"{label} {text}", depth, (label or "-") if plain else "-")
        else:
            self.out.paragraph(text)


def text_of(element: Any) -> str:
    """The words that Word shows of a paragraph, a cell or a note; paragraphs in it on lines of their own."""
    parts: list[str] = []
    for node in _seen(element):
        if node.tag == f"{W}t":
            parts.append(node.text or "")
        elif node.tag == f"{W}tab":
            parts.append("\t")
        elif node.tag in (f"{W}br", f"{W}cr", f"{W}p"):
            parts.append("\n")
        elif node.tag == f"{W}noBreakHyphen":
            parts.append("-")
    return "".join(parts)


def _seen(element: Any) -> Iterator[Any]:
    """What lies in it and is shown, in order. The tree is never deeper than its parser allows."""
    for child in element:
        if child.tag in _UNSEEN or (child.tag == f"{W}r" and _hidden(child)):
            continue
        yield child
        yield from _seen(child)


def _hidden(run: Any) -> bool:
    mark = run.find(f"{W}rPr/{W}vanish")
    return mark is not None and mark.get(f"{W}val", "1") not in ("0", "false", "off")


def _blocks(parent: Any) -> Iterator[Any]:
    for child in parent:
        if child.tag in (f"{W}p", f"{W}tbl"):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _blocks(child)


def _rows(table: Any) -> Iterator[list[str]]:
    """Merged cells hold their words in the first of their places; the others are empty, or rows would not align."""
    for row in _children(table, f"{W}tr"):
        cells: list[str] = []
        for cell in _children(row, f"{W}tc"):
            merged = cell.find(f"{W}tcPr/{W}vMerge")
            goes_on = merged is not None and merged.get(f"{W}val", "continue") == "continue"
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            cells.append("" if goes_on else text_of(cell))
            cells.extend([""] * (min(int(span.get(f"{W}val", "1")), 100) - 1 if span is not None else 0))
        if any(cell.strip() for cell in cells):
            yield cells


def _children(parent: Any, tag: str) -> Iterator[Any]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _children(child, tag)


def _related(document: Any, name: str) -> Any:
    """The XML of the part of that kind; None if there is none."""
    from vouch.adapters.parsers.office.container import safe_tree

    kind = f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{name}"
    for relation in document.part.rels.values():
        if relation.reltype == kind and not relation.is_external:
            return safe_tree(relation.target_part.blob)
    return None
