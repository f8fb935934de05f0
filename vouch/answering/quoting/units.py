"""What a passage consists of: sentences, list items, table rows and blocks of code, and which belong together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vouch.documents.text.markup import shown
from vouch.documents.text.sentences import sentence_spans
from vouch.values.candidate import Passage

Kind = Literal["prose", "item", "row", "heading", "code"]

_ITEM = re.compile(r"[ \t>]*(?P<mark>[-*+•‣◦▪·]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_NOTE = re.compile(r"\[\^[^\]\s]{1,40}+\]:")       # of a footnote
_CLOSERS = "*_~`\"'”’»)]}」』）"
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})")
_ASKS = re.compile(r"(?:\*\*|__)?(?:Q|Question|Frage)\s?[:.)]")
_ANSWERS = re.compile(r"(?:A|Answer|Antwort)\s?[:.)]\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Unit:
    """`text[start:end]` of a passage. `mark` is where an item's marker begins, else `start`.

    The units of one paragraph, list, table or block of code have the same
    `group`. One without `words`, such as an item "...", is never quoted alone.
    """

    start: int
    end: int
    kind: Kind
    mark: int
    group: int = 0
    words: bool = True


def units(passage: Passage) -> list[Unit]:
    """The passage's units in order."""
    found: list[Unit] = []
    for unit in _ungrouped(passage):
        group = found[-1].group + (not _together(passage.text, found, unit)) if found else 0
        found.append(replace(unit, group=group))
    return found


def leads(passage: Passage, unit: Unit) -> bool:
    """Whether the unit announces what follows it."""
    return unit.kind != "row" and shown(passage.text, unit.start, unit.end, passage.markup).rstrip("*_ ").endswith(":")


def goes_on(passage: Passage, unit: Unit, following: Unit) -> bool:
    """Whether two sentences make one piece of running text.

    Of two paragraphs only such sentences do as end with a stop (title lines, greetings and signatures do not) and are
    both quoted from elsewhere or not; a footnote and the question of an entry "Q: … A: …" begin something new.
    """
    if asks(passage, following) or any(_NOTE.match(passage.text, sentence.start) for sentence in (unit, following)):
        return False
    if unit.group == following.group:
        return True
    alike = _is_quoted(passage.text, unit) == _is_quoted(passage.text, following)
    return alike and _stops(passage, unit, ".!?…。！？｡:：") and _stops(passage, following, ".!?…。！？｡")


def _is_quoted(text: str, unit: Unit) -> bool:
    """Whether it stands behind a ">", as words of an earlier mail do."""
    return ">" in text[unit.start - column(text, unit.start) : unit.start]


def _stops(passage: Passage, unit: Unit, stops: str) -> bool:
    words = shown(passage.text, unit.start, unit.end, passage.markup).rstrip(_CLOSERS)
    return words.endswith(tuple(stops))


def asks(passage: Passage, unit: Unit) -> bool:
    """Whether it is the question of an entry "Q: … A: …"."""
    return _ASKS.match(passage.text, unit.start, unit.end) is not None


def answer_alone(text: str, unit: Unit) -> Unit:
    """The answer of such an entry without the letter before it, for where the question is not quoted."""
    mark = _ANSWERS.match(text, unit.start, unit.end) if unit.kind == "prose" else None
    return replace(unit, start=mark.end(), mark=mark.end()) if mark else unit


def is_list(every: Sequence[Unit], n: int) -> bool:
    """Whether unit n stands in a list."""
    return any(every[i].kind == "item" for i in members(every, n))


def members(every: Sequence[Unit], n: int) -> range:
    """Positions of the units in the group of unit n."""
    first, last, group = n, n, every[n].group
    while first > 0 and every[first - 1].group == group:
        first -= 1
    while last + 1 < len(every) and every[last + 1].group == group:
        last += 1
    return range(first, last + 1)


def outermost(text: str, every: Sequence[Unit], group: range) -> list[int]:
    """Positions of the items of a list that are in no item of it."""
    items = [n for n in group if every[n].kind == "item"]
    depth = min((column(text, every[n].mark) for n in items), default=0)
    return [n for n in items if column(text, every[n].mark) <= depth + 1]


def ordered(text: str, unit: Unit) -> bool:
    """Whether the item is numbered."""
    return unit.kind == "item" and text[unit.mark].isdigit()


def column(text: str, place: int) -> int:
    return place - text.rfind("\n", 0, place) - 1


def _ungrouped(passage: Passage) -> Iterator[Unit]:
    text, reached = passage.text, 0
    for start, end in (*passage.markup.code, (len(text), len(text))):
        in_list = not reached and passage.markup.before > 0
        for a, b in sentence_spans(text[reached:start], in_list=in_list, wordless=True):
            unit = _unit(text, reached + a, reached + b)
            seen = shown(text, unit.start, unit.end, passage.markup)
            if seen and unit.kind in ("prose", "item"):
                yield replace(unit, words=any(map(str.isalnum, seen)))
            elif any(map(str.isalnum, seen)):
                yield unit
        if inside := _between_fences(text[start:end]):
            yield Unit(start, end, "code", start, words=any(map(str.isalnum, inside)))
        reached = end


def _between_fences(code: str) -> str:
    """The lines of a block of code without blanks; the name of a language is none."""
    return "".join(line.strip() for line in code.split("\n") if not _FENCE.match(line))


def _unit(text: str, start: int, end: int) -> Unit:
    line = text.rfind("\n", 0, start) + 1
    before = text[line:start].lstrip(" \t>")
    if before.startswith("#"):
        return Unit(start, end, "heading", start)
    if before.startswith("|"):
        return Unit(start, end, "row", start)
    item = _ITEM.fullmatch(text, line, start)
    if item:
        return Unit(start, end, "item", item.start("mark"))
    return Unit(start, end, "prose", start)


def _together(text: str, found: Sequence[Unit], unit: Unit) -> bool:
    """Whether `unit` goes on with the paragraph, list or table that the last of `found` ends."""
    last = found[-1]
    if last.kind in ("heading", "code") and unit.kind in ("heading", "code"):
        return False
    first = next(u for u in found if u.group == last.group)
    between = text[last.end : unit.mark]
    blank = any(not line.strip(" \t>") for line in between.split("\n")[1:-1])
    quoted = ">" in text[first.mark - column(text, first.mark) : first.mark]
    if first.kind == "item" and between.strip(" \t\n>" if quoted else None):
        return False                    # a rule, a quote or a comment ends the list
    if first.kind == "item":
        deeper = column(text, unit.mark) > column(text, first.mark)
        if unit.kind == "item":
            return deeper or ordered(text, unit) == ordered(text, first)
        return unit.kind in ("prose", "code") and (deeper if blank or unit.kind == "code" else True)
    return first.kind == unit.kind and not blank
