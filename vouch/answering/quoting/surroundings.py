"""From the sentence that was found to what its reader needs: its list, its code, the sentence before it.

Whoever follows two steps of six, or reads what a command does without the
command, was answered wrongly. So a numbered list is quoted whole, and what
does not fit is counted.
"""

import re
from collections.abc import Sequence

from vouch.answering.quoting.clipping import MOST_CHARACTERS, clipped
from vouch.answering.quoting.quotable import Quotable, run
from vouch.answering.quoting.units import Unit, goes_on, is_list, leads, members, ordered, outermost
from vouch.documents.text.markup import shown
from vouch.ports.language import Evidence

_HOW_TO = re.compile(
    r"\bhow (?:do|does|did|can|could|should|to|must|would|may)\b|\b(?:steps?|procedure|commands?|instructions?)\b"
    r"|\bwhat (?:do|must|should|can) (?:i|we|you) do\b|\bwie (?:kann|muss|soll|mache?|geht|wird|werden|richte)\b"
    r"|\bcomment (?:faire|puis|dois|peut)\b", re.IGNORECASE
)


def asks_how_to(question: str) -> bool:
    """Whether the question asks for something to do, in words that are known for it."""
    return _HOW_TO.search(question) is not None


def whole(one: Quotable, every: Sequence[Unit], *, how_to: bool) -> Quotable:
    """`one` with what it cannot be understood or followed without, within MOST_CHARACTERS.

    `every` are the units of its passage.
    """
    first, last = one.first, one.last
    items = [n for n in range(first, last + 1) if every[n].kind != "row" and is_list(every, n)]
    if items:
        return _whole_list(one, every, members(every, items[0]), how_to=how_to)
    if all(every[n].kind == "prose" for n in range(first, last + 1)):
        first, last = _with_commands(one.evidence, every, first, last, how_to=how_to)
    if any(every[n].kind == "code" for n in range(first, last + 1)):
        return _with_code(one.evidence, every, first, last)
    wider = one if (first, last) == (one.first, one.last) else run(one.evidence, every, first, last)
    return clipped(wider, every)


def _length(every: Sequence[Unit], first: int, last: int) -> int:
    return every[last].end - every[first].mark


def _whole_list(one: Quotable, every: Sequence[Unit], group: range, *, how_to: bool) -> Quotable:
    evidence, text = one.evidence, one.evidence.passage.text
    starts = outermost(text, every, group)
    numbered = ordered(text, every[starts[0]])
    if not (numbered or how_to or one.first < group[0]):
        alone = len(one.spans) > 1      # with its lead-in, which promises the whole list
        others = len(starts) - 1 + sum(_outside(evidence, every, group))
        return clipped(one, every, rest=_rest(0, others, "item") if alone else "")
    ends = [*(n - 1 for n in starts[1:]), group[-1]]
    inside = [k for k, (a, b) in enumerate(zip(starts, ends, strict=True)) if a <= one.last and one.first <= b] or [0]
    low, high = inside[0], inside[-1]
    lead = _lead(evidence, every, group[0], how_to=how_to)
    room = MOST_CHARACTERS - (every[group[0]].mark - every[lead].start)
    while low > 0 and _length(every, starts[low - 1], ends[high]) <= room:
        low -= 1
    while high + 1 < len(starts) and _length(every, starts[low], ends[high + 1]) <= room:
        high += 1
    begin = lead if low == 0 else starts[low]
    if low == 0 and starts[0] > group[0]:
        begin = min(begin, group[0])
    outside = _outside(evidence, every, group)
    rest = _rest(
        low + outside[0],
        len(starts) - 1 - high + outside[1],
        "step" if numbered else "item",
    )
    if _length(every, begin, ends[high]) > MOST_CHARACTERS:
        return clipped(one, every, rest=rest)
    return run(evidence, every, begin, ends[high], rest)


def _outside(evidence: Evidence, every: Sequence[Unit], group: range) -> tuple[int, int]:
    """Items of the list, or lines of the code, before and after the passage."""
    markup = evidence.passage.markup
    return markup.before if group[0] == 0 else 0, markup.after if group[-1] == len(every) - 1 else 0


def _lead(evidence: Evidence, every: Sequence[Unit], first: int, *, how_to: bool) -> int:
    """Where the words begin that introduce the block at `first`."""
    before = first - 1
    if before < 0 or every[before].kind != "prose":
        return first
    if how_to and _length(every, members(every, before)[0], before) <= MOST_CHARACTERS // 3:
        return members(every, before)[0]
    return before if leads(evidence.passage, every[before]) else first


def _with_commands(
    evidence: Evidence, every: Sequence[Unit], first: int, last: int, *, how_to: bool
) -> tuple[int, int]:
    """The sentences with the code beside them that they are about."""
    begin, end = first, last
    if end + 1 < len(every) and every[end + 1].kind == "code" and (how_to or leads(evidence.passage, every[end])):
        end += 1
    if how_to and begin > 0 and _holds_code(evidence, every, begin - 1, begin):
        begin = _lead(evidence, every, begin - 1, how_to=False) if every[begin - 1].kind == "code" else begin - 1
    if how_to and end == last and end + 1 < len(every) and _holds_code(evidence, every, end + 1, end):
        end += 1
    return (begin, end) if _length(every, begin, end) <= MOST_CHARACTERS else (first, last)


def _holds_code(evidence: Evidence, every: Sequence[Unit], n: int, beside: int) -> bool:
    """Whether unit n is code, or a sentence with code in the same paragraph as `beside`."""
    unit = every[n]
    if unit.kind == "code":
        return True
    return unit.group == every[beside].group and "`" in evidence.passage.text[unit.start : unit.end]


def _with_code(evidence: Evidence, every: Sequence[Unit], first: int, last: int) -> Quotable:
    """The run, and how many lines of its code stand in other passages."""
    before, after = _outside(evidence, every, range(first, last + 1))
    before, after = before * (every[first].kind == "code"), after * (every[last].kind == "code")
    if _length(every, first, last) <= MOST_CHARACTERS:
        return run(evidence, every, first, last, _rest(before, after, "line"))
    return clipped(run(evidence, every, first, last), every)


def _rest(before: int, after: int, what: str) -> str:
    if before and after:
        return f"{before} earlier and {after} more {what}s"
    count, kind = (before, "earlier") if before else (after, "more")
    return f"{count} {kind} {what}{'s' if count > 1 else ''}" if count else ""


CONTEXT_CHARACTERS = 200                # of the sentence before; a longer one is left out
_POINTS_BACK = re.compile(r"[\"'“‘(*_]{0,3}(?:It|Its|This|That|They|Their|These|Those|He|She|Such)\b(?! is why\b)")


def with_opening(one: Quotable, every: Sequence[Unit]) -> Quotable:
    """`one` with the sentence before it, if its first word points there and that sentence is short.

    `every` are the units of its passage.
    """
    first, passage = one.first, one.evidence.passage
    if first == 0 or len(one.spans) != 1 or every[first].kind != "prose" or every[first - 1].kind != "prose":
        return one
    unit, before = every[first], every[first - 1]
    words = shown(passage.text, unit.start, unit.end, passage.markup)
    if not _POINTS_BACK.match(words) or before.end - before.start > CONTEXT_CHARACTERS:
        return one
    if one.spans[0][1] != every[one.last].end or not before.words or not goes_on(passage, before, unit):
        return one
    return run(one.evidence, every, first - 1, one.last, one.left_out)
