"""Jupyter notebooks: the Markdown and the code of the cells. What the code put out is left out."""

import json
import re
from typing import Any

from vouch.adapters.parsers.markdown.parser import only_seen
from vouch.adapters.parsers.markdown.writer import MarkdownWriter
from vouch.adapters.parsers.narrowing.front_matter import FrontMatter, split_front_matter
from vouch.adapters.parsers.narrowing.nearly_narrowed import refuse_nearly_narrowed
from vouch.adapters.parsers.plain.text import decode, refuse_empty
from vouch.broken import broken
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

_CURE = "write it at the very top of a first cell of Markdown"
_PICTURE = re.compile(r"\]\((?:data|attachment):[^()\[\]\s]*+\)")


class NotebookParser:
    def parse(self, content: Content) -> Parsed:
        text = decode(content.data, content.encoding)
        refuse_empty(text)
        try:
            book = json.loads(text)
        except ValueError as error:
            raise Unreadable(f"is not a notebook: {broken(error)}", cure="check the file") from error
        cells = _cells(book)
        top = next((n for n, (_, words) in enumerate(cells) if words.strip()), 0)
        front = _front_matter(cells[top : top + 1])
        out = MarkdownWriter()
        language = _language(book)
        for n, (kind, words) in enumerate(cells):
            words = words[front.end :] if n == top else words
            if kind == "code":
                out.code(words, language)
            elif kind in ("markdown", "heading"):
                out.markdown(_PICTURE.sub("]()", only_seen(words)))
        return out.parsed(front.title, front.narrowed)


def _cells(book: Any) -> list[tuple[str, str]]:
    """Kinds and sources, of notebooks since version 4 and of those before it."""
    if not isinstance(book, dict):
        raise Unreadable("is not a notebook", cure="check the file")
    sheets = book.get("worksheets")
    of_sheets = [one["cells"] for one in sheets if isinstance(one, dict) and "cells" in one] if sheets else []
    cells = book.get("cells", [cell for some in of_sheets if isinstance(some, list) for cell in some] or None)
    if not isinstance(cells, list):
        raise Unreadable("is not a notebook: it has no cells", cure="check the file")
    return [(str(cell.get("cell_type")), _source(cell)) for cell in cells if isinstance(cell, dict)]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    words = "".join(line for line in source if isinstance(line, str)) if isinstance(source, list) else source
    if not isinstance(words, str):
        return ""
    level = cell.get("level")
    if cell.get("cell_type") == "heading" and isinstance(level, int):
        return f"{'#' * min(max(level, 1), 6)} {words}"
    return words


def _front_matter(cells: list[tuple[str, str]]) -> FrontMatter:
    """Site generators read it from the first cell; it may narrow access, so it counts. In code it is refused."""
    for kind, words in cells:
        if kind in ("markdown", "raw"):
            return split_front_matter(words)
        refuse_nearly_narrowed(words, _CURE)
    return FrontMatter()


def _language(book: dict[str, Any]) -> str:
    facts = book.get("metadata")
    kernel = facts.get("kernelspec") if isinstance(facts, dict) else None
    name = kernel.get("language") if isinstance(kernel, dict) else None
    return name if isinstance(name, str) and name.isalnum() and len(name) < 30 else ""
