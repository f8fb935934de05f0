"""No quotation fills the screen: what is longer is cut where a word or a line ends, and says so."""

from collections.abc import Sequence
from dataclasses import replace

from vouch.answering.quoting.layout import laid_out, led
from vouch.answering.quoting.quotable import Quotable
from vouch.answering.quoting.units import Unit
from vouch.documents.text.span import Span
from vouch.values.candidate import Passage

MOST_CHARACTERS = 1_200                 # of a passage that one quotation may show
CUT = " …"


def clipped(one: Quotable, every: Sequence[Unit], most: int = MOST_CHARACTERS, rest: str = "") -> Quotable:
    """`one` with `rest` as what it leaves out, or as much of it as `most` characters of its passage hold.

    `every` are the units of its passage. Cut code says how many lines follow,
    other words end with a mark.
    """
    spans = _fitting(one.evidence.passage.text, one.spans, most)
    if spans == one.spans:
        return replace(one, left_out=rest) if rest else one
    passage, last = one.evidence.passage, every[one.last]
    if every[one.first].kind == "row":
        return replace(one, spans=spans, text=short(one.text, most), left_out=rest)
    kept_units = [_within(unit, spans) for unit in every if any(a < unit.end and unit.start < b for a, b in spans)]
    if kept_units[-1].kind == "code":
        kept_units[-1] = replace(kept_units[-1], end=_line_end(passage.text, kept_units[-1]))
        spans = (*spans[:-1], (spans[-1][0], kept_units[-1].end))
        more = sum(1 for line in passage.text[kept_units[-1].end : last.end].split("\n") if line.strip(" \t>`~"))
        return replace(one, spans=spans, text=laid_out(passage, kept_units), left_out=f"{more} more lines")
    return replace(one, spans=spans, text=_text(passage, kept_units, spans) + CUT, left_out=rest)


def short(words: str, most: int) -> str:
    """At most so many characters of `words`, cut at a word's end with a mark."""
    return words if len(words) <= most else words[: _word_end(words, 0, most - len(CUT))].rstrip() + CUT


def _fitting(text: str, spans: Sequence[Span], most: int) -> tuple[Span, ...]:
    kept: list[Span] = []
    for start, end in spans:
        if end - start > most:
            if most > 0:
                kept.append((start, _word_end(text, start, most)))
            break
        kept.append((start, end))
        most -= end - start
    return tuple(kept)


def _word_end(text: str, start: int, most: int) -> int:
    """Where to cut text[start:], preferably behind a word, but not far before `most`."""
    at = max(text.rfind(space, start + most // 2, start + most + 1) for space in " \n")
    return start + len(text[start : at if at > 0 else start + most].rstrip())


def _within(unit: Unit, spans: Sequence[Span]) -> Unit:
    return next(
        replace(unit, start=max(unit.start, a), end=min(unit.end, b))
        for a, b in spans if a < unit.end and unit.start < b
    )


def _line_end(text: str, unit: Unit) -> int:
    at = text.rfind("\n", unit.start, unit.end)
    return at if at > unit.start else unit.end


def _text(passage: Passage, kept: Sequence[Unit], spans: Sequence[Span]) -> str:
    """A lead-in that stands apart from its item goes before it on one line."""
    if len(spans) < 2:
        return laid_out(passage, kept)
    return led(passage, kept[0], kept[1:])
