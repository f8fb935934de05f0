"""RTF: words, headings by their outline level, lists and tables."""

import re
from collections.abc import Callable
from itertools import groupby

from vouch.adapters.parsers.markdown.grid import write_grid
from vouch.adapters.parsers.markdown.writer import MarkdownWriter
from vouch.adapters.parsers.office.container import refuse_ole
from vouch.adapters.parsers.plain.text import is_title, refuse_empty
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

# The library drops outline levels; a private character carries each of them through it.
_LEVEL = re.compile(r"\\outlinelevel([0-8])(?!\d) ?")
_FIRST = 0xE000
_HEADING = re.compile(r"[\ue000-\ue008]")
_ITEM = re.compile(r"(?:(\d{1,4}[.)])|[·•▪◦o§-])\t(.*)")


class RichTextParser:
    def parse(self, content: Content) -> Parsed:
        refuse_ole(content.data, "Word document", ".docx")
        refuse_empty(content.data)
        if not content.data.lstrip().startswith(b"{\\rtf"):
            raise Unreadable("is not an RTF file", cure="check the file")
        from striprtf.striprtf import rtf_to_text

        marked = _LEVEL.sub(lambda m: f"{m[0].rstrip()} {chr(_FIRST + int(m[1]))}", content.data.decode("latin-1"))
        convert: Callable[..., str] = rtf_to_text
        text = convert(marked, encoding="cp1252", errors="replace")
        out = MarkdownWriter()
        text = _titled(text)
        for tabular, lines in groupby(text.split("\n"), key=lambda line: line.rstrip().endswith("|")):
            if tabular:
                write_grid(out, [_HEADING.sub("", line.rstrip())[:-1].split("|") for line in lines])
            else:
                for line in lines:
                    _line(out, line)
        return out.parsed()


def _titled(text: str) -> str:
    """With its first line, if that looks like a title above other lines, as a heading."""
    if _HEADING.search(text):
        return text
    first, *others = text.strip().split("\n")
    title = any(line.strip() for line in others) and is_title(first) and not first.rstrip().endswith("|")
    return f"{chr(_FIRST)}{text.strip()}" if title else text


def _line(out: MarkdownWriter, line: str) -> None:
    level, words = _HEADING.search(line), _HEADING.sub("", line).strip()
    item = _ITEM.fullmatch(words)
    if level:
        out.heading(ord(level[0]) - _FIRST + 1, words)
    elif item:
        out.item(item[2], mark=item[1] or "-")
    else:
        out.paragraph(words)
