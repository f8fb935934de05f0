"""How quoted words are laid out: running text, lists, code in a fence, table rows under their columns."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest

from vouch.answering.quoting.units import Unit, column, ordered
from vouch.documents.text.markup import running, shown, without_marks
from vouch.documents.text.tables import Row, cell_spans, cells, headers_of, row_at, table_rows, unescaped
from vouch.values.candidate import Passage

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*([\w+#.-]{0,20})")
_TICKS = re.compile(r"`{3,}")


def laid_out(passage: Passage, run: Sequence[Unit]) -> str:
    """The words of consecutive units as they stand in the passage, but for its marks; none of our own."""
    text, lines_before = "", False
    for part in _groups(run):
        whole = len(part) == len(run)
        needs_lines = any(u.kind == "code" for u in part) or _is_enumeration(passage, part, alone=whole)
        words = _lines(passage, part) if needs_lines else _running(passage, part)
        text = f"{text}\n{words}" if text and words and (needs_lines or lines_before) else running([text, words])
        lines_before = needs_lines
    return text


def led(passage: Passage, lead: Unit, item: Sequence[Unit]) -> str:
    """The lead-in of a list and one item of it, whose number would pass for one of the text inside a line."""
    before, words = shown(passage.text, lead.start, lead.end, passage.markup), laid_out(passage, item)
    return before + ("\n" if "\n" in words or ordered(passage.text, item[0]) else " ") + words


def fenced(passage: Passage, start: int, end: int) -> str:
    """A block of code, or the piece of it that the passage holds, between fences of our own."""
    lines = without_marks(passage.text, start, end, passage.markup).split("\n")
    opening = _FENCE.match(lines[0])
    if opening:
        lines = lines[1:]
    if lines and _FENCE.fullmatch(lines[-1].rstrip()):
        lines = lines[:-1]
    code = textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n")
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(code))])
    return f"{fence}{opening[1] if opening else ''}\n{code}\n{fence}"


def _groups(run: Sequence[Unit]) -> Iterator[list[Unit]]:
    part: list[Unit] = []
    for unit in run:
        if part and unit.group != part[-1].group:
            yield part
            part = []
        part.append(unit)
    if part:
        yield part


def _is_enumeration(passage: Passage, part: Sequence[Unit], *, alone: bool) -> bool:
    items = [unit for unit in part if unit.kind == "item"]
    return len(items) > 1 or (len(items) == 1 and (not alone or ordered(passage.text, items[0])))


def _running(passage: Passage, part: Sequence[Unit]) -> str:
    return running(shown(passage.text, unit.start, unit.end, passage.markup) for unit in part)


def _lines(passage: Passage, part: Sequence[Unit]) -> str:
    """The lines of a list or a block of code; blank ones only inside code."""
    base = column(passage.text, part[0].mark)
    found: list[str] = []
    reached = part[0].mark
    for code in (unit for unit in part if unit.kind == "code"):
        found += _plain_lines(passage, reached, code.start, base)
        margin = " " * max(column(passage.text, code.start) - base, 0) if code is not part[0] else ""
        found += [margin + line for line in fenced(passage, code.start, code.end).split("\n")]
        reached = code.end
    return "\n".join([*found, *_plain_lines(passage, reached, part[-1].end, base)])


def _plain_lines(passage: Passage, start: int, end: int, base: int) -> list[str]:
    first, *others = without_marks(passage.text, start, end, passage.markup).split("\n")
    lines = [first, *(line[min(base, len(line) - len(line.lstrip())) :] for line in others)]
    return [line.rstrip() for line in lines if line.strip()]


_PARTS = re.compile(r";|:(?=\s|\Z)")


def rows_of(passage: Passage) -> tuple[Row, ...]:
    return _read(passage.text, passage.header)


@lru_cache(maxsize=128)
def _read(text: str, header: str) -> tuple[Row, ...]:
    """Asked for again for each row of a passage."""
    return tuple(table_rows(text, header))


def quoted_row(passage: Passage, rows: Sequence[Row], start: int) -> tuple[str, str]:
    """The row that holds the character at `start`, as it is shown, and the header it stands under.

    It is shown as `column: cell; column: cell`, or the cells alone where the columns have no names.
    """
    row = row_at(rows, start)
    return ("", "") if row is None else (told_pairs(row_pairs(passage, rows, start)), row.header)


def row_pairs(passage: Passage, rows: Sequence[Row], start: int) -> list[tuple[str, str]]:
    """Of the row that holds the character at `start` each cell that is not empty, behind the name of its column."""
    row = row_at(rows, start)
    if row is None:
        return []
    named = zip_longest(_names(passage, rows, row), _cells(passage, row), fillvalue="")
    return [(name, word) for name, word in named if word]


def told_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """As `quoted_row` shows them."""
    if not any(name for name, _ in pairs):
        return ", ".join(word for _, word in pairs)
    return "; ".join(f"{_one(name)}: {_one(word)}" if name else _one(word) for name, word in pairs)


def _one(words: str) -> str:
    """In quotation marks where its own signs would pass for those between columns and cells."""
    return f'"{words}"' if _PARTS.search(words) else words


def _cells(passage: Passage, row: Row) -> list[str]:
    """The cells of a line of the passage, without their marks."""
    spans = cell_spans(passage.text[row.start : row.end])
    return [unescaped(shown(passage.text, row.start + a, row.start + b, passage.markup)) for a, b in spans]


def _names(passage: Passage, rows: Sequence[Row], row: Row) -> list[str]:
    """The names of the columns. Of a header in another passage only asterisks around names are marks."""
    if not row.header:
        return []
    head = next((one for one in rows if one.kind == "header" and one.header == row.header), None)
    names = _cells(passage, head) if head else [_without_stars(cell) for cell in cells(row.header)]
    return [name.rstrip(":").rstrip() for name in names]


def _without_stars(name: str) -> str:
    return name.strip("*").strip() if name[:1] == name[-1:] == "*" else name


def lines_of(passage: Passage, rows: Sequence[Row], start: int) -> tuple[int, int] | None:
    """The range of the row that holds the character at `start`, if it has several lines."""
    row = row_at(rows, start)
    return (row.start, row.end) if row and "\n" in passage.text[row.start : row.end] else None


def is_header(rows: Sequence[Row], start: int) -> bool:
    """Whether the character at `start` stands in a table's header, which says nothing without a row."""
    row = row_at(rows, start)
    return row is not None and row.kind == "header"


def beside(passage: Passage, start: int, end: int) -> str:
    """The headers, a line each, under which the rows in passage.text[start:end] stand."""
    return headers_of(rows_of(passage), start, end) if passage.has_table or "|" in passage.text else ""
