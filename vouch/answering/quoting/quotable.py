"""What can be quoted of a passage: runs of sentences, list items with their lead-in, code, rows of tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vouch.answering.quoting.layout import is_header, laid_out, led, lines_of, quoted_row, rows_of
from vouch.answering.quoting.units import Unit, answer_alone, goes_on, leads, members, units
from vouch.documents.chunk import model_input, plain
from vouch.documents.text.span import Span
from vouch.ports.language import Evidence
from vouch.values.candidate import Passage

LIST_CHARACTERS = 700                   # a lead-in takes items along up to this length
FEW_WORDS = 3                           # a longer quotation that stands in another is no chance
ITEM_CHARACTERS = 300                   # an item is one quotation up to this length; a longer one is read by sentence


@dataclass(frozen=True, slots=True)
class Quotable:
    """Ranges of one passage to quote together, in order, and the words a reader is shown for them.

    `left_out` counts what the quoted list or block has besides.
    """

    evidence: Evidence
    spans: tuple[Span, ...]
    text: str
    first: int                          # positions of its units in the passage
    last: int
    left_out: str = ""
    header: str = ""                    # of the table that a row stands in
    is_row: bool = False                # of a table

    @property
    def read(self) -> str:
        """What models compare with a question."""
        return "\n".join([*([self.header] if self.header else []), self.cited])

    @property
    def under_headings(self) -> str:
        """The same under the headings of its passage."""
        return model_input(self.evidence.passage.section, self.read)

    @property
    def cited(self) -> str:
        """Its ranges as they stand in the passage, a line each."""
        text = self.evidence.passage.text
        return "\n".join(text[start:end] for start, end in self.spans)

    @property
    def places(self) -> tuple[Span, ...]:
        """Where they stand in the document, whichever of its passages they are quoted from."""
        at = self.evidence.passage.start
        return tuple((at + start, at + end) for start, end in self.spans)

    def meets(self, other: "Quotable") -> bool:
        """Whether both quote some characters of a document in common; neighboring passages overlap."""
        if self.evidence.passage.document != other.evidence.passage.document:
            return False
        return any(a < d and c < b for a, b in self.places for c, d in other.places)

    def holds(self, other: "Quotable") -> bool:
        """Whether every character of `other` is quoted here, too."""
        if self.evidence.passage.document != other.evidence.passage.document:
            return False
        return all(any(a <= c and d <= b for a, b in self.places) for c, d in other.places)

    def repeats(self, other: "Quotable") -> bool:
        """Whether it tells readers nothing beside `other`: they share characters, or its words stand there as well."""
        if self.meets(other):
            return True
        mine, theirs = (" ".join(one.text.split()).casefold() for one in (self, other))
        return mine == theirs or (mine.count(" ") >= FEW_WORDS and f" {mine} " in f" {theirs} ")


def quotables(evidence: Evidence) -> list[Quotable]:
    """Runs of two sentences inside the strips, single ones where none goes on, widened to be understood."""
    passage, every = evidence.passage, units(evidence.passage)
    rows = rows_of(passage)
    worded = [n for n, unit in enumerate(every) if unit.words]
    numbers = {
        n for n in worded
        if every[n].kind != "heading" and _kept(every[n], evidence.strips)
        and not (every[n].kind == "row" and is_header(rows, every[n].start))
    }
    pairs = {
        n: following for n, following in pairwise(worded)
        if n in numbers and following in numbers and every[n].kind == every[following].kind == "prose"
        and goes_on(passage, every[n], every[following])
    }
    seconds = set(pairs.values())
    quotable_by_spans: dict[tuple[Span, ...], Quotable] = {}
    for n in sorted(numbers):
        if n in pairs or n not in seconds or every[n].kind == "item":
            quotable = _widened(evidence, every, n, pairs.get(n, n))
            if any(map(str.isalnum, quotable.text)):
                quotable_by_spans.setdefault(quotable.spans, quotable)
    return list(quotable_by_spans.values())


def joined(one: Quotable, other: Quotable) -> Quotable:
    """Both as one quotation of everything from the first to the last of their sentences."""
    every = units(one.evidence.passage)
    return _widened(one.evidence, every, min(one.first, other.first), max(one.last, other.last))


def run(evidence: Evidence, every: Sequence[Unit], first: int, last: int, left_out: str = "") -> Quotable:
    """The units from `first` to `last` as they stand."""
    chosen = [answer_alone(evidence.passage.text, every[first]), *every[first + 1 : last + 1]]
    shown_text = laid_out(evidence.passage, chosen)
    return Quotable(evidence, (_span(chosen, shown_text),), shown_text, first, last, left_out)


def _kept(unit: Unit, strips: Sequence[Span]) -> bool:
    """Whether a sentence lies in a strip, or a block of code has a line in one."""
    if unit.kind == "code":
        return any(start < unit.end and unit.start < end for start, end in strips)
    return any(start <= unit.start and unit.end <= end for start, end in strips)


def _widened(evidence: Evidence, every: Sequence[Unit], first: int, last: int) -> Quotable:
    passage = evidence.passage
    if every[first].kind == "row":
        return _quoted_row(evidence, every[first], first)
    if every[last].kind == "item" and first == last:
        last = _item_end(every, last)
    if leads(passage, every[last]) or (leads(passage, every[first]) and every[last].kind == "item"):
        last = _led(every, first, last)
    opener = _opener(evidence, every, first)
    if opener is None:
        return run(evidence, every, first, last)
    if every[first].kind == "code" or len(_items(every, first, last)) > 1:
        return run(evidence, every, opener, last)
    lead, item = every[opener], every[first : last + 1]
    spans = ((lead.start, lead.end), _span(item, laid_out(passage, item)))
    return Quotable(evidence, spans, led(passage, lead, item), first, last)


def _span(run: Sequence[Unit], shown_text: str) -> Span:
    """What `shown_text` was made of: the mark of an item alone is quoted only where it is shown."""
    lines = "\n" in shown_text or run[0].kind != "item"
    return run[0].mark if lines or shown_text[:1].isdigit() else run[0].start, run[-1].end


def _items(every: Sequence[Unit], first: int, last: int) -> list[int]:
    return [n for n in range(first, last + 1) if every[n].kind == "item"]


def _item_end(every: Sequence[Unit], n: int) -> int:
    """The last unit of the item that begins with unit n, if that is not too long to be one quotation."""
    last, start = n, every[n].start
    for following in every[n + 1 : members(every, n)[-1] + 1]:
        if following.kind == "item" or following.end - start > ITEM_CHARACTERS:
            break
        last += 1
    return last


def quotations_read(passages: Sequence[Passage], *, alone: bool) -> Iterable[str]:
    """Nearly every text that a writer of quotations may have scored, those of the first passages first.

    `alone`: also without their headings, which is what decides whether a quotation is near enough.
    """
    found = [quotables(Evidence(1, one, ((0, len(one.text)),), 0.0)) for one in passages]
    yield from dict.fromkeys(one.under_headings for own in found for one in own)
    if alone:
        yield from dict.fromkeys(plain(one.read) for own in found for one in own)


def _led(every: Sequence[Unit], first: int, last: int) -> int:
    """The last of the units that a lead-in announces: it says nothing without its items, or its code."""
    start = every[first].start
    if last + 1 < len(every) and every[last + 1].kind == "code":
        return last + (every[last + 1].end - start <= LIST_CHARACTERS)
    for before, following in pairwise(every[last:]):
        of_list = following.kind == "item" or (before.kind == "item" and before.group == following.group)
        if not of_list or following.end - start > LIST_CHARACTERS:
            break
        last += 1
    return last


def _opener(evidence: Evidence, every: Sequence[Unit], first: int) -> int | None:
    """The lead-in of an item's list, or the sentence before a block of code, if it stands in the passage."""
    if every[first].kind not in ("item", "code"):
        return None
    before = members(every, first)[0] - 1
    if before < 0 or every[before].kind != "prose":
        return None
    return before if every[first].kind == "code" or leads(evidence.passage, every[before]) else None


def _quoted_row(evidence: Evidence, row: Unit, n: int) -> Quotable:
    """The row under the names of its columns, wherever those stand; cited is the row alone, on all of its lines."""
    rows = rows_of(evidence.passage)
    words, header = quoted_row(evidence.passage, rows, row.start)
    lines = lines_of(evidence.passage, rows, row.start)
    return Quotable(evidence, (lines or (row.start, row.end),), words, n, n, header=header, is_row=True)
