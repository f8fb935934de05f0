"""The numbers in a text, in one notation, so that a sentence can be held against what it cites."""

import math
import re

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = {word: n * 10 for n, word in enumerate(
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)}
_WORDS = {word: n for n, word in enumerate(_UNITS)} | _TENS
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_MOST = 10**18                          # of what a row of hundreds is counted up to
_WORD = "|".join([*_WORDS, *_SCALES])
_NUMBER = re.compile(
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s*(?P<scale>hundred|thousand|million|billion)\b)?"
    rf"|\b(?P<words>(?:{_WORD})\b(?:[\s-]++(?:and\s++)?(?:{_WORD})\b)*)", re.IGNORECASE)
_PERCENT = re.compile(r"\s*(?:%|per\s?cent\b)", re.IGNORECASE)


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _spelled(words: str) -> float:
    """The value of number words; a row of single ones ("two three") counts as its sum, equally on both sides."""
    total = part = 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in _WORDS:
            part += _WORDS[word]
        elif word == "hundred":
            part = min(max(part, 1) * 100, _MOST)
        elif word in _SCALES:
            total, part = total + max(part, 1) * _SCALES[word], 0
    return float(total + part)


def numbers(text: str, *, one: bool = True) -> set[str]:
    """Each number as plain digits, with `%` where a percentage; `one=False` leaves out the word "one"."""
    found = set()
    for match in _NUMBER.finditer(text):
        if match["digits"]:
            value = float(match["digits"].replace(",", ""))
            if math.isinf(value):       # hundreds of digits
                found.add(match["digits"])
                continue
            if match["scale"]:
                value *= _SCALES[match["scale"].lower()]
        else:
            value = _spelled(match["words"])
            if match["words"].lower() == "one" and not one:
                continue
        found.add(_plain(value) + ("%" if _PERCENT.match(text, match.end()) else ""))
    return found


def unsupported(sentence: str, cited: str) -> set[str]:
    """Numbers of `sentence` that `cited` does not hold. A bare number is held by the same percentage too."""
    held = numbers(cited)
    return {n for n in numbers(sentence, one=False) if n not in held and n + "%" not in held}
