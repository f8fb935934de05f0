"""Units that numbers stand with: which measure the same, and how many of one another they are."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple


class Measure(NamedTuple):
    """What is measured, and how many of its smallest unit one is."""

    kind: str
    factor: Fraction


def _table(kinds: Mapping[str, Mapping[str, str | int]]) -> dict[str, Measure]:
    return {
        word: Measure(kind, Fraction(factor))
        for kind, words in kinds.items() for names, factor in words.items() for word in names.split()
    }


UNITS = _table({
    "percent": {"% percent pct prozent": 1},
    "percentage point": {"pp": 1},
    "basis point": {"bp bps": 1},
    "time": {
        "ms millisecond milliseconds": "1/1000", "s sec secs second seconds": 1, "min mins minute minutes": 60,
        "h hr hrs hour hours": 3600, "day days": 86_400, "week weeks wk wks": 604_800,
        "fortnight fortnights": 1_209_600,
    },
    "working day": {"workday workdays": 1},
    "calendar": {"month months": 1, "quarter quarters": 3, "year years yr yrs": 12, "decade decades": 120},
    "USD": {"$ usd dollar dollars": 1},
    "EUR": {"€ eur euro euros": 1},
    "GBP": {"£ gbp pound pounds": 1},
    "JPY": {"¥ jpy yen": 1},
    "INR": {"₹ inr rupee rupees": 1},
    "CHF": {"chf": 1},
    "cent": {"cent cents": 1},
    "length": {"mm": "1/1000", "cm": "1/100", "metre metres meter meters": 1,
               "km kilometre kilometres kilometer kilometers": 1000},
    "mile": {"mile miles mi": 1},
    "foot": {"ft foot feet": 1},
    "inch": {"inch inches": 1},
    "weight": {"mg": "1/1000", "g gram grams": 1, "kg kgs kilogram kilograms kilo kilos": 1000, "tonne tonnes": 10**6},
    "lb": {"lb lbs": 1},
    "volume": {"ml": "1/1000", "l litre litres liter liters": 1},
    "data": {"kb": 1, "mb": 10**3, "gb": 10**6, "tb": 10**9},
    "°C": {"°c": 1},
    "°F": {"°f": 1},
})  # fmt: skip
METRE = Measure("length", Fraction(1))
WORKING_DAY = UNITS["workday"]
SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ABBREVIATED = {"k": 1000, "K": 1000, "M": 10**6, "B": 10**9}       # directly behind the digits
_SHORT_SCALES = {"tsd": 1000, "mn": 10**6, "mio": 10**6, "mln": 10**6, "bn": 10**9, "mrd": 10**9}
_SIGNS = "%€$£¥₹"

_WORD = re.compile(
    rf"(?P<gap>[\s\u00a0\u202f-]{{0,2}})(?P<word>per\s?cent\b|percentage\spoints?\b|°[CF]\b|[{_SIGNS}]|[^\W\d_]{{1,20}})(?![^\W\d_])",
    re.IGNORECASE)
_BESIDE = re.compile(
    r"[\s-]{1,2}(?:more|full|paid|unpaid|additional|extra|calendar|consecutive|whole|of|us)(?=[\s-])", re.IGNORECASE)
_WORKING = re.compile(r"[\s-]{1,2}(?:business|working|work)[\s-]{1,2}days?\b", re.IGNORECASE)
_BEFORE = re.compile(r"(?:[€$£¥₹]|\b(?:usd|eur|gbp|jpy|inr|chf))[\s\u00a0]?[-−]?\Z", re.IGNORECASE)


class Behind(NamedTuple):
    """What stands behind digits: `end` is where it ends."""

    scale: int
    measure: Measure | None
    end: int


def behind(text: str, at: int, *, digits: bool = True) -> Behind:
    """The scale and the unit that belong to the number that ends at `at`; "1990s" are no seconds."""
    scale = 1
    match = _WORD.match(text, at)
    if match and (factor := _scale(match, digits=digits)):
        scale, at = factor, match.end()
        match = _WORD.match(text, at)
    if working := _WORKING.match(text, at):
        return Behind(scale, WORKING_DAY, working.end())
    if (skipped := _BESIDE.match(text, at)) and (further := _WORD.match(text, skipped.end())):
        measure = unit(further["word"])
        return Behind(scale, measure, further.end()) if measure else Behind(scale, None, at)
    measure = _unit(match) if match else None
    if match and measure and not (match["word"] == "s" and not match["gap"] and text[max(at - 4, 0) : at].isdigit()):
        return Behind(scale, measure, match.end())
    return Behind(scale, None, at)


def before(text: str, start: int) -> tuple[Measure | None, int]:
    """The currency in front of the number that begins at `start`, which may have a sign, and where it begins."""
    match = _BEFORE.search(text[max(start - 6, 0) : start])
    return (unit(match[0].strip(" \t\n\u00a0-−")), start - len(match[0])) if match else (None, start)


def unit(word: str) -> Measure | None:
    word = word.lower()
    if word.startswith("percentage"):
        return UNITS["pp"]
    return UNITS["%"] if word.startswith("per") and word.endswith("cent") else UNITS.get(word)


def _unit(match: re.Match[str]) -> Measure | None:
    """An "m" apart from the digits is a metre; directly behind them it may be a million as well."""
    return METRE if match["word"] == "m" and match["gap"] else unit(match["word"])


def _scale(match: re.Match[str], *, digits: bool) -> int:
    word = match["word"]
    if digits and not match["gap"] and word in _ABBREVIATED:
        return _ABBREVIATED[word]
    if "-" in match["gap"]:
        return 0
    return SCALES.get(word.lower(), 0) or _SHORT_SCALES.get(word.lower(), 0)
