"""PowerPoint: each slide is a page with its title as heading; lists, tables and the speaker's notes."""

import io
from collections.abc import Iterator
from typing import Any

from vouch.adapters.parsers.markdown.writer import MarkdownWriter, one_line
from vouch.adapters.parsers.office.container import open_container
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

_CURE = "split it, or raise VOUCH_PARSING__PAGES"
_DEEPEST = 50                           # groups of shapes in one another
_BREAK = "\v"                           # how the library writes a line break inside a paragraph
_NAMELESS = ("", "powerpoint presentation", "presentation")


class SlidesParser:
    def __init__(self, most_pages: int) -> None:
        self._most = most_pages

    def parse(self, content: Content) -> Parsed:
        open_container(content.data, "PowerPoint presentation", ".pptx").close()
        from pptx import Presentation

        deck = Presentation(io.BytesIO(content.data))
        if len(deck.slides) > self._most:
            raise Unreadable(f"has more than {self._most:,} slides", cure=_CURE)
        out = MarkdownWriter()
        for number, slide in enumerate(deck.slides, 1):
            out.page = number
            _slide(out, slide, number)
        if not any(block.kind != "heading" for block in out.parsed().blocks) and not _titles(deck):
            raise Unreadable("holds no text, only pictures perhaps", cure="add text to it, or export it with text")
        named = one_line(deck.core_properties.title or "")
        return out.parsed(named if named.lower() not in _NAMELESS else "")


def _titles(deck: Any) -> bool:
    return any(_title(slide) for slide in deck.slides)


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return one_line(shape.text_frame.text) if shape is not None else ""


def _slide(out: MarkdownWriter, slide: Any, number: int) -> None:
    """A slide without a title gets one, or it would stand below that of the slide before."""
    out.heading(1, _title(slide) or f"Slide {number}")
    title = slide.shapes.title
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if getattr(shape, "has_table", False):
            out.table(_rows(shape.table))
        elif shape.has_text_frame:
            _text(out, shape)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and notes.text.strip():
        out.paragraph(f"Notes: {one_line(notes.text)}")


def _shapes(shapes: Any, depth: int = 0) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            if depth < _DEEPEST:
                yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _text(out: MarkdownWriter, shape: Any) -> None:
    """The paragraphs of a placeholder for text are a list; those of a box are paragraphs, unless they are indented."""
    paragraphs = [(p.level, " ".join(p.text.replace(_BREAK, " ").split())) for p in shape.text_frame.paragraphs]
    paragraphs = [(level, words) for level, words in paragraphs if words]
    listed = len(paragraphs) > 1 and (shape.is_placeholder or any(level for level, _ in paragraphs))
    for level, words in paragraphs:
        if listed:
            out.item(words, level)
        else:
            out.paragraph(words)


def _rows(table: Any) -> Iterator[list[str]]:
    """Of merged cells the first holds the words. The elements are walked: the library looks each cell up anew."""
    from pptx.table import _Cell

    for row in table._tbl.tr_lst:
        cells = [_Cell(cell, table) for cell in row.tc_lst]
        words = ["" if cell.is_spanned else cell.text_frame.text.replace(_BREAK, " ") for cell in cells]
        if any(word.strip() for word in words):
            yield words
