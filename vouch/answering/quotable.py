"""What can be quoted of a passage: runs of sentences, list items with their lead-in, rows of tables."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vouch.answering.table_rows import is_header, quoted_row, row_text, rows_of
from vouch.documents.chunk import plain
from vouch.documents.sentences import sentence_spans
from vouch.ports.writer import Evidence

Kind = Literal["prose", "item", "row", "heading"]
Span = tuple[int, int]
LIST_CHARACTERS = 700                   # a lead-in takes items along up to this length

_ITEM = re.compile(r"[ \t>]*(?:[-*+•‣◦▪·]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_TEMPLATE = re.compile(r"\{[%{](?:[^\"{}]*\"([^\"{}]*)\")?[^{}]*[%}]\}")    # of static sites; first argument stays
_FLOW = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Unit:
    start: int
    end: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Quotable:
    """Ranges of one passage to quote together, in order, and the words a reader is shown for them."""

    evidence: Evidence
    spans: tuple[Span, ...]
    text: str
    first: int                          # positions of its units in the passage
    last: int
    header: str = ""                    # of the table that a row stands in

    @property
    def read(self) -> str:
        """What models compare with a question."""
        text = self.evidence.passage.text
        return "\n".join([*([self.header] if self.header else []), *(text[start:end] for start, end in self.spans)])

    def meets(self, other: "Quotable") -> bool:
        """Whether both quote some characters in common."""
        if self.evidence.number != other.evidence.number:
            return False
        return any(a < d and c < b for a, b in self.spans for c, d in other.spans)

    def holds(self, other: "Quotable") -> bool:
        """Whether every character of `other` is quoted here, too."""
        if self.evidence.number != other.evidence.number:
            return False
        return all(any(a <= c and d <= b for a, b in self.spans) for c, d in other.spans)


def units(text: str) -> list[Unit]:
    """The sentences of `text` with their kinds."""
    return [Unit(start, end, _kind(text, start)) for start, end in sentence_spans(text)]


def _kind(text: str, start: int) -> Kind:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    if before.lstrip(" \t>").startswith("#"):
        return "heading"
    if before.lstrip(" \t>").startswith("|"):
        return "row"
    return "item" if _ITEM.fullmatch(before) else "prose"


def quotables(evidence: Evidence) -> list[Quotable]:
    """Runs of two sentences inside the strips, single ones where none goes on, widened to be understood."""
    every = units(evidence.passage.text)
    rows = rows_of(evidence.passage)
    kept = {n for n, u in enumerate(every) if u.kind != "heading" and _within(u, evidence.strips)}
    kept = {n for n in kept if not is_header(rows, every[n].start)}
    pairs = {n for n in kept if n + 1 in kept and "row" not in (every[n].kind, every[n + 1].kind)}
    found: dict[tuple[Span, ...], Quotable] = {}
    for n in sorted(kept):
        if n in pairs or n - 1 not in pairs or every[n].kind == "item":
            one = _widened(evidence, every, n, n + (n in pairs and every[n].kind == "prose"))
            if one.text:
                found.setdefault(one.spans, one)
    return list(found.values())


def joined(one: Quotable, other: Quotable) -> Quotable:
    """Both as one quotation of everything from the first to the last of their sentences."""
    every = units(one.evidence.passage.text)
    return _widened(one.evidence, every, min(one.first, other.first), max(one.last, other.last))


def _within(unit: Unit, strips: Sequence[Span]) -> bool:
    return any(start <= unit.start and unit.end <= end for start, end in strips)


def _widened(evidence: Evidence, every: Sequence[Unit], first: int, last: int) -> Quotable:
    text = evidence.passage.text
    if every[first].kind == "row" and first == last:
        start, end = every[first].start, every[first].end
        shown, header = quoted_row(evidence.passage, rows_of(evidence.passage), start, _shown)
        return Quotable(evidence, ((start, end),), shown, first, last, header)
    if _leads(text, every[last]) or (_leads(text, every[first]) and every[last].kind == "item"):
        # a lead-in says nothing without its items, and a list cut where a strip ends says too little
        start = every[first].start
        while (
            last + 1 < len(every)
            and every[last + 1].kind == "item"
            and every[last + 1].end - start <= LIST_CHARACTERS
        ):
            last += 1
    spans = [(every[first].start, every[last].end)]
    shown = _words(text, every[first : last + 1])
    opener = _opener(text, every, first)
    if opener is not None:
        spans.insert(0, (opener.start, opener.end))
        shown = f"{_clean(text, opener)} {shown}"
    return Quotable(evidence, tuple(spans), shown, first, last)


def _leads(text: str, unit: Unit) -> bool:
    return unit.kind != "row" and text[unit.start : unit.end].rstrip("*_ ").endswith(":")


def _opener(text: str, every: Sequence[Unit], first: int) -> Unit | None:
    """The lead-in of an item's list, if it stands in the passage."""
    at = first
    if every[at].kind != "item":
        return None
    while at > 0 and every[at - 1].kind == "item":
        at -= 1
    before = every[at - 1] if at > 0 else None
    return before if before is not None and before.kind == "prose" and _leads(text, before) else None


def _clean(text: str, unit: Unit) -> str:
    words = text[unit.start : unit.end]
    return row_text(words, "", _shown).removesuffix(".") if unit.kind == "row" else _shown(words)


def _shown(words: str) -> str:
    return _FLOW.sub(" ", plain(_TEMPLATE.sub(r"\1", words))).strip()


def _words(text: str, run: Sequence[Unit]) -> str:
    """The run as flowing text: items are set apart by semicolons, and it ends in a full stop."""
    shown = ""
    for unit in run:
        words = _clean(text, unit)
        if not any(c.isalnum() for c in words):
            continue
        joint = " " if not shown or shown[-1] in ".!?:;…,”\"" or unit.kind == "prose" else "; "
        shown = f"{shown}{joint}{words}".strip()
    return shown if not shown or shown[-1] in ".!?…:”\")" else f"{shown}."
