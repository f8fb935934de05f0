"""The quantities that a text names: each number with its sign, its scale and its unit."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from vouch.answering.verification.number_notation import DIGITS, PARTS, SPELLED, readings, spelled
from vouch.answering.verification.units_of_measure import METRE, UNITS, Measure, before, behind, unit

_NUMBER = re.compile(rf"(?P<digits>{DIGITS})|(?P<words>{SPELLED})", re.IGNORECASE)
_PART = re.compile(r"[ \u00a0]?([½¼¾⅓⅔])|(?P<half>\s{1,2}and\s{1,2}a\s{1,2}half\b)", re.IGNORECASE)
_HALF = re.compile(r"\bhalf\s(?:(?:of\s)?an?\s)?([^\W\d_]{1,20})(?![^\W\d_])|(?P<alone>[½¼¾⅓⅔])", re.IGNORECASE)
_MINUS = re.compile(r"(?:(?<![\w)%\]])[-−]|\bminus\s)\s?(?:[€$£¥₹]\s?)?\Z|(?<![\w)%\]])[€$£¥₹][-−]\Z", re.IGNORECASE)
_TO = re.compile(r"\s?(?:[-–—]|to|through|bis)\s?", re.IGNORECASE)
_AND = re.compile(r"\s?(?:,|and|or|/)\s?", re.IGNORECASE)
_LOOSE = re.compile(r"[^\W\d_]+|[%€$£¥₹]")


@dataclass(frozen=True, slots=True)
class Quantity:
    """`face` is the number with its scale and sign; `value` counts smallest units, without a unit the same."""

    face: Fraction
    measure: Measure | None

    @property
    def value(self) -> Fraction:
        return self.face * self.measure.factor if self.measure else self.face

    @property
    def kind(self) -> str:
        return self.measure.kind if self.measure else ""


@dataclass(frozen=True, slots=True)
class Named:
    """text[start:end] is the number, up to `over` with its unit; `means` says each way to read it."""

    start: int
    end: int
    over: int
    means: tuple[tuple[Quantity, ...], ...]
    word: str = ""                      # if it is spelled out


def quantities(text: str) -> list[Named]:
    """All of them in order; the members of a range or a row share a unit that stands behind its last."""
    found = list(_each(text))
    for n in range(len(found) - 2, -1, -1):
        between = text[found[n].over : found[n + 1].start]
        if len(between) <= 12 and (_TO.fullmatch(between) or _AND.fullmatch(between)):
            found[n] = _sharing(found[n], found[n + 1], only=_TO.fullmatch(between) is not None)
            found[n + 1] = _sharing(found[n + 1], found[n], only=False) if _TO.fullmatch(between) else found[n + 1]
    starts = [one.start for one in found]
    halves = [half for half in _halves(text) if not _inside(half.start, starts, found)]
    return sorted([*found, *halves], key=lambda one: one.start)


def loose_measures(text: str, found: list[Named]) -> set[Measure]:
    """Units that stand with no number, as in the header of a table."""
    taken = [(one.start, one.over) for one in found]
    loose, at = set(), 0
    for match in _LOOSE.finditer(text):
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        measure = unit(match[0])
        if measure and not (at < len(taken) and taken[at][0] <= match.start()):
            loose.add(measure)
    return loose


def _each(text: str) -> Iterator[Named]:
    reached = 0
    while match := _NUMBER.search(text, reached):
        start, end = match.span()
        means = readings(match["digits"]) if match["digits"] else [(spelled(match["words"]),)]
        if part := _PART.match(text, end):
            end = part.end()
            means = [(*values[:-1], values[-1] + PARTS.get(part[1] or "½", Fraction(1, 2))) for values in means]
        rest = behind(text, end, digits=match["digits"] is not None)
        currency, begin = before(text, start)
        measure = rest.measure or currency
        sign = -1 if _MINUS.search(text[max(start - 8, 0) : start]) else 1
        read = [_read(values, sign, rest.scale, measure) for values in means]
        if match["digits"] and text[end : end + 1] == "m" and not text[end + 1 : end + 2].isalnum():
            read = [*(_read(values, sign, 10**6, measure) for values in means),
                    *(_read(values, sign, 1, METRE) for values in means if not measure)]
        last, reached = reached, max(rest.end, end)    # behind a scale, which is a number word as well
        yield Named(max(begin, last), end, reached, tuple(read), match["words"] or "")


def _inside(at: int, starts: list[int], found: list[Named]) -> bool:
    """Whether one of `found`, which begin at `starts`, holds the character at `at`."""
    n = bisect_right(starts, at) - 1
    return n >= 0 and at < found[n].over


def _read(values: tuple[Fraction, ...], sign: int, scale: int, measure: Measure | None) -> tuple[Quantity, ...]:
    """The unit and the scale belong to the last of several numbers, the sign to the first."""
    faces = [values[0] * sign, *values[1:]]
    faces[-1] *= scale
    return tuple(Quantity(face, measure if n == len(faces) - 1 else None) for n, face in enumerate(faces))


def _sharing(one: Named, other: Named, *, only: bool) -> Named:
    """`one` also with the unit of `other`, or only with it."""
    lent = other.means[0][-1].measure
    if not lent or any(quantity.measure for means in one.means for quantity in means):
        return one
    shared = tuple((*means[:-1], replace(means[-1], measure=lent)) for means in one.means)
    return replace(one, means=shared if only else (*shared, *one.means))


def _halves(text: str) -> Iterator[Named]:
    """"half an hour" and a "½" that stands alone."""
    for match in _HALF.finditer(text):
        if match["alone"]:
            rest = behind(text, match.end())
            means = Quantity(PARTS[match["alone"]], rest.measure)
            yield Named(match.start(), match.end(), max(match.end(), rest.end), ((means,),))
        elif (measure := unit(match[1])) and measure in UNITS.values():
            yield Named(match.start(), match.end(), match.end(), ((Quantity(Fraction(1, 2), measure),),))
