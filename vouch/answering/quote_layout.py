"""How quoted words are laid out for a reader: running text on a line, lists an item a line, code in a fence."""

import re
import textwrap
from collections.abc import Iterator, Sequence

from vouch.answering.units import Unit, column, ordered
from vouch.documents.markup import running, shown, without_marks
from vouch.retrieval.candidate import Passage

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
