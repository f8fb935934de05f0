"""The numbers of a sentence, held against those of what it cites: as values with units, not as letters."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from vouch.answering.verification.number_notation import notation
from vouch.answering.verification.quantities import Quantity, loose_measures, quantities
from vouch.answering.verification.units_of_measure import SCALES, Measure

_FALLS = re.compile(
    r"\b(?:minus|below|under|less|lower|negative|loss(?:es)?|lost?|down|decreas|declin|fell|falls?|dropp?|shrank|cut|"
    r"reduc)", re.IGNORECASE)
_LOOSE_SCALE = re.compile(r"\b(?:in|of|,)?\s?(thousand|million|billion)s\b", re.IGNORECASE)
_ORDINALS = {"first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
             "tenth": 10}
_MONTHS = {name: n for n, name in enumerate([
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
], 1)}  # fmt: skip
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b(?=,?\s\d)|(?<=\d\s)(?:{'|'.join(_MONTHS)})\b")


def numbers(text: str, *, one: bool = True) -> set[str]:
    """Each number as plain digits with `%` or its unit behind it; `one=False` leaves out the word "one"."""
    return {
        f"{notation(quantity.face)}{_behind(quantity.measure)}"
        for named in quantities(text) if one or named.word.lower() != "one" for quantity in named.means[0]
    }


def count(sentence: str) -> int:
    """How many numbers `unsupported` would look for."""
    return sum(named.word.lower() != "one" for named in quantities(sentence))


def unsupported(sentence: str, cited: str) -> set[str]:
    """Numbers of `sentence`, in its own words, that `cited` does not hold.

    Held is an equal value with a unit of the same kind (90 minutes, 1.5 hours). A number without a unit is held by
    one with a unit; one with a unit by a number without, where its unit stands alone in `cited`, as in a table's
    header. What has a sign is not held by what has none, unless the words say that something falls.
    """
    cited_numbers = _Held.of(cited)
    falls = _FALLS.search(sentence) is not None
    return {
        " ".join(sentence[named.start : named.over].split())
        for named in quantities(sentence)
        if named.word.lower() != "one" and not any(cited_numbers.holds(means, falls=falls) for means in named.means)
    }


@dataclass(frozen=True, slots=True)
class _Held:
    """What a cited text holds: faces whatever their units, and values by what is measured."""

    faces: frozenset[Fraction]
    values: frozenset[tuple[str, Fraction]]
    falls: bool

    @classmethod
    def of(cls, cited: str) -> "_Held":
        named_numbers = quantities(cited)
        every = [quantity for named in named_numbers for means in named.means for quantity in means]
        bare = {quantity.face for quantity in every if quantity.measure is None}
        scales = {SCALES[match[1].lower()] for match in _LOOSE_SCALE.finditer(cited)}
        bare |= {face * scale for face in bare for scale in scales}
        loose = loose_measures(cited, named_numbers)
        return cls(
            frozenset({quantity.face for quantity in every} | bare | _beside(cited)),
            frozenset({(quantity.kind, quantity.value) for quantity in every if quantity.measure}
                      | {(measure.kind, face * measure.factor) for face in bare for measure in loose}),
            _FALLS.search(cited) is not None,
        )

    def holds(self, means: Iterable[Quantity], *, falls: bool) -> bool:
        return all(self._holds(quantity, falls=falls) for quantity in means)

    def _holds(self, one: Quantity, *, falls: bool) -> bool:
        return self._has(one, 1) or (self._falls(one, falls=falls) and self._has(one, -1))

    def _has(self, one: Quantity, sign: int) -> bool:
        return one.face * sign in self.faces if one.measure is None else (one.kind, one.value * sign) in self.values

    def _falls(self, one: Quantity, *, falls: bool) -> bool:
        """Whether the side that has no sign says in words that something falls."""
        return self.falls if one.face < 0 else falls


def _beside(cited: str) -> set[Fraction]:
    """Numbers that words stand for: the days and months of dates, and what is counted off."""
    months = {Fraction(_MONTHS[match[0]]) for match in _MONTH.finditer(cited)}
    return months | {Fraction(_ORDINALS[match[0].lower()]) for match in _ORDINAL.finditer(cited)}


def _behind(measure: Measure | None) -> str:
    return "" if measure is None else "%" if measure.kind == "percent" else f" {measure.kind}"
