"""How a number is written: digits with the separators of several countries, and English words."""

import re
from fractions import Fraction

from vouch.answering.verification.units_of_measure import SCALES

Values = tuple[Fraction, ...]
_SPACES = " \u00a0\u202f\u2009"
_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = {word: n * 10 for n, word in enumerate(
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)}
WORDS = {word: n for n, word in enumerate(_UNITS)} | _TENS
PARTS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)}
_MOST = 10**18                          # of what a row of hundreds is counted up to
_LONGEST = 300                          # digits; Python reads no number of many thousand
_WORD = "|".join([*WORDS, *SCALES])

DIGITS = rf"\d+(?:[.,'’{_SPACES}]\d+)*"
SPELLED = rf"\b(?:{_WORD})\b(?:[\s-]++(?:and\s++)?(?:{_WORD})\b)*"
_GROUPS = re.compile(rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?")
_COMMAS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_APOSTROPHES = re.compile(r"\d{1,3}(?:['’]\d{3})+(?:[.,]\d+)?")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_SPACE = re.compile(rf"[{_SPACES}]")
_SEPARATORS = re.compile(rf"[.,'’{_SPACES}]")


def readings(digits: str) -> list[Values]:
    """What a run of digits may mean, the likeliest first: one number, or several beside one another.

    `1,000` is a thousand, `1.000` one or a thousand, `2,3` two and three tenths or two numbers, `1 200` the same.
    """
    pieces = _SPACE.split(digits)
    if len(pieces) == 1:
        return _unspaced(digits)
    apart = tuple(value for piece in pieces for value in _unspaced(piece)[0])
    if _GROUPS.fullmatch(digits):
        return [(_number(_SPACE.sub("", digits)),), apart]
    return [apart]


def _unspaced(digits: str) -> list[Values]:
    apart = tuple(_whole(piece) for piece in _SEPARATORS.split(digits))
    if _COMMAS.fullmatch(digits) and digits[0] != "0":
        return [(_number(digits.replace(",", "")),)]
    if _APOSTROPHES.fullmatch(digits):
        return [(_number(digits.replace("'", "").replace("’", "")),)]
    grouped = [(_number(digits.replace(".", "")),)] if _POINTS.fullmatch(digits) and digits[0] != "0" else []
    if grouped and (digits.count(".") > 1 or "," in digits):
        return [*grouped, apart]
    if _DECIMAL.fullmatch(digits):
        return [(_number(digits),), *grouped] if "." in digits else [(_number(digits),), apart]
    return [apart]


def _number(digits: str) -> Fraction:
    whole, _, part = digits.replace(",", ".").partition(".")
    if len(digits) > _LONGEST:
        return _whole(whole + part)
    return Fraction(int(whole + part), 10 ** len(part))


def _whole(digits: str) -> Fraction:
    """Of a number beyond all measure only that it is equal to itself matters."""
    return Fraction(int(digits) if len(digits) <= _LONGEST else int(digits, 16))


def spelled(words: str) -> Fraction:
    """The value of number words; a row of single ones ("two three") counts as its sum, equally on both sides."""
    total = part = 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in WORDS:
            part += WORDS[word]
        elif SCALES.get(word, _MOST) <= 100:
            part = min(max(part, 1) * SCALES[word], _MOST)
        elif word in SCALES:
            total, part = total + max(part, 1) * SCALES[word], 0
    return Fraction(total + part)


def notation(value: Fraction) -> str:
    """As plain digits."""
    if value.denominator == 1:
        return str(value.numerator) if abs(value) < 10**_LONGEST else hex(value.numerator)
    return repr(float(value))
