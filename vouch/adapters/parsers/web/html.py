"""HTML: the article is extracted as Markdown, which then is the document's text."""

import codecs
import logging
import re
from copy import deepcopy
from functools import cache
from typing import Any

from vouch.adapters.parsers.markdown.parser import read_markdown
from vouch.adapters.parsers.markdown.unseen import is_unseen
from vouch.adapters.parsers.narrowing.front_matter import FrontMatter, split_front_matter
from vouch.adapters.parsers.narrowing.nearly_narrowed import HEAD, refuse_nearly_narrowed
from vouch.adapters.parsers.plain.text import BINARY, BINARY_CURE, decode, readable
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = {"ul": ("li",), "ol": ("li",), "dl": ("dt", "dd")}
_ROWS = ("thead", "tbody", "tfoot", "tr", "td", "th")
_GLUED = re.compile(r"(?:(?<=\S)[ \t]+|^[ \t]{4,})(#{1,6} +)(?=\S)", re.MULTILINE)


def part_items(tree: Any) -> None:
    """Afterwards, in place, no heading shares a list item or a table cell with other words.

    A list or table of sections becomes plain divisions; a heading alone in its cell becomes bold.
    """
    for element in list(tree.iter(*_LISTS)):
        items = [child for child in element if child.tag in _LISTS[element.tag]]
        if any(_heads(item) for item in items):
            for node in (element, *items):
                node.tag = "div"
    for table in list(tree.iter("table")):
        cells = [cell for cell in table.iter("td", "th") if next(cell.iter(*HEADINGS), None) is not None]
        if any(_heads(cell) for cell in cells):
            for node in list(table.iter("table", *_ROWS)):
                node.tag = "div"
        else:
            for heading in [heading for cell in cells for heading in cell.iter(*HEADINGS)]:
                heading.tag = "b"


def name_rows(tree: Any) -> None:
    """Afterwards, in place, a cell that names its own row names no column: it stands beside what it names."""
    for row in list(tree.iter("tr")):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        if any(cell.tag == "td" and any(map(str.strip, cell.itertext())) for cell in cells):
            for cell in cells:
                cell.tag = "td"


def part_headings(text: str, tree: Any) -> str:
    """The extracted `text`, with a line of its own for each heading of the page that is indented or glued into one."""
    if not _GLUED.search(text):
        return text
    headings = sorted({_words(heading) for heading in tree.iter(*HEADINGS)} - {""}, key=len, reverse=True)
    return "\n".join(_parted(line, headings) for line in text.split("\n"))


def _parted(line: str, headings: list[str]) -> str:
    for glued in _GLUED.finditer(line):
        rest = line[glued.end() :]
        heading = next((h for h in headings if rest.startswith(h)), None)
        if heading is not None:
            parts = (line[: glued.start()].rstrip(), f"{glued[1]}{heading}", rest[len(heading) :].strip())
            return "\n\n".join(part for part in parts if part)
    return line


def _heads(element: Any) -> bool:
    """Whether a heading stands in it, and other words too."""
    heading = next(element.iter(*HEADINGS), None)
    return heading is not None and len(_words(element)) > len(_words(heading))


def _words(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


_SPACE = re.compile(r"[^\S\n]+")
_BLANK = re.compile(r"\n\s*\n")
_DEEPEST = 256                          # what lxml allows
_ENDLESS = "holds a tag, comment or line of more than 10 MB"
_HEAD = 4096                            # bytes in which a page may declare its encoding
_DECLARED = re.compile(rb"charset|encoding\s*=", re.IGNORECASE)
_UNSEEN = ("script", "style", "head", "svg", "iframe", "object")
_MENUS = ("nav", "footer", "aside", "button", "select")     # around what a page says
_SHORT = 250                            # characters of an article; a shorter one is compared with the page
_BREAKING = (
    *("p", "div", "li", "tr", "br", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article"),
    *("table", "ul", "ol", "dl", "dt", "dd", "pre", "blockquote", "hr"),
)


class HtmlParser:
    def parse(self, content: Content) -> Parsed:
        wide = content.data.startswith((b"\xff\xfe", b"\xfe\xff"))
        front, data = _front_matter(decode(content.data).encode() if wide else content.data)
        if b"\0" in data:
            raise Unreadable(BINARY, cure=BINARY_CURE)
        if not data.strip():
            return Parsed("", front.title, (), front.narrowed, owners=front.owners)
        tree = _tree(data, _encoding(data, content.encoding))
        text = readable(_article(tree) or _all_words(tree))
        blocks, markup = read_markdown(text)
        first = next((b.title for b in blocks if b.kind == "heading" and b.level == 1 and b.title), "")
        named = readable(" ".join((tree.findtext(".//title") or "").split()))
        return Parsed(text, front.title or first or named, blocks, front.narrowed, markup, owners=front.owners)


def _front_matter(data: bytes) -> tuple[FrontMatter, bytes]:
    """Site generators allow front matter in HTML too; it may narrow access, so it counts."""
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"---"):
        refuse_nearly_narrowed(data[:HEAD].decode("utf-8-sig", errors="replace"))
        return FrontMatter(), data
    text = data.decode("utf-8-sig", errors="replace")
    front = split_front_matter(text)
    return front, text[front.end :].encode()


def words_of(data: bytes, encoding: str | None) -> str:
    """What a mail or a snippet shows, as Markdown. Raises Unreadable."""
    if not data.strip():
        return ""
    tree = _tree(data.replace(b"\0", b""), _encoding(data, encoding))
    return readable(_article(tree) or _all_words(tree))


def _tree(data: bytes, encoding: str | None) -> Any:
    from lxml import etree, html

    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, encoding=encoding)
    tree = etree.fromstring(data, parser)
    for entry in parser.error_log:
        if entry.type_name == "ERR_RESOURCE_LIMIT":     # the rest is left out; better no document than half of one
            deep = "depth" in entry.message
            raise Unreadable(f"is nested deeper than {_DEEPEST} elements" if deep else _ENDLESS, cure="simplify it")
    if tree is None:
        raise Unreadable("holds no HTML", cure="check the file")
    for element in [node for node in tree.iter("*") if is_unseen(node.tag, node.attrib)]:
        _drop(element)
    return tree


def _encoding(data: bytes, given: str | None) -> str | None:
    """UTF-8 where the bytes are UTF-8; else what was given or the page declares (None lets the parser look)."""
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    if given and _known(given):
        return given
    from vouch.adapters.parsers.encodings import detected

    return None if _DECLARED.search(data, 0, _HEAD) else detected(data)


def _known(encoding: str) -> bool:
    try:
        return bool(codecs.lookup(encoding))
    except LookupError:
        return False


def _article(tree: Any) -> str:
    import trafilatura

    page = deepcopy(tree)               # the extractor takes its input to pieces
    part_items(page)
    name_rows(page)
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # its reasons reach nobody; ours do
    markdown = trafilatura.extract(
        page, output_format="markdown", include_tables=True, include_comments=False, favor_recall=True,
        config=_of_any_length(),
    )
    text = part_headings(markdown or "", tree)
    if len(text) < _SHORT and 2 * len(text.split()) < len(_said(tree).split()):
        return ""                       # most of what the page says is not in it
    return _headed(text, tree) if text else ""


@cache
def _of_any_length() -> Any:
    """What the extractor finds in a short page is as good as in a long one, and better than all words in a row."""
    from trafilatura.settings import use_config

    config = use_config()
    for name in ("MIN_EXTRACTED_SIZE", "MIN_OUTPUT_SIZE"):
        config.set("DEFAULT", name, "1")
    return config


def _headed(text: str, tree: Any) -> str:
    """With the page's first heading, which the extractor may leave out."""
    aside = {*_MENUS, *_UNSEEN}
    first = next((h for h in tree.iter(*HEADINGS) if not any(up.tag in aside for up in h.iterancestors())), None)
    words = "" if first is None else " ".join("".join(first.itertext()).split())
    if first is None or not words or words in _titles(text):
        return text
    return f"{'#' * int(first.tag[1])} {words}\n\n{text}"


def _titles(text: str) -> set[str]:
    """The headings there are, and the paragraphs that are nothing but one that the extractor took for words."""
    blocks, _ = read_markdown(text)
    return {" ".join((block.title or text[block.start : block.end]).split()) for block in blocks}


def _said(tree: Any) -> str:
    page = deepcopy(tree)
    for element in list(page.iter(*_UNSEEN, *_MENUS)):
        _drop(element)
    return " ".join(page.itertext())


def _all_words(tree: Any) -> str:
    """Everything a browser would show, a line for each element that begins one; without menus, unless they are all."""
    around = _MENUS if _said(tree).strip() else ()
    for element in list(tree.iter(*_UNSEEN, *around)):
        _drop(element)
    for heading in list(tree.iter(*HEADINGS)):
        words = " ".join("".join(heading.itertext()).split())
        for child in list(heading):
            heading.remove(child)
        heading.text = f"{'#' * int(heading.tag[1])} {words}" if words else ""
        heading.tail = "\n\n" + (heading.tail or "")
    for element in tree.iter(*_BREAKING):
        element.tail = "\n\n" + (element.tail or "")
        element.text = "\n\n" + (element.text or "") if element.tag != "br" else element.text
    text = _SPACE.sub(" ", "".join(tree.itertext()))
    return _BLANK.sub("\n\n", text).strip()


def _drop(element: Any) -> None:
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    parent.remove(element)
