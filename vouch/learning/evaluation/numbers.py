"""Numbers in words of an answer, compared as numbers.

Signs of currency and percent, separators of thousands, and the sign do not
count: filings write what was paid in brackets. A known number is met by one
that rounds to it at the decimals it is written with.
"""

import re
from decimal import Decimal

_NUMBER = re.compile(r"(?<![\w.])\(?[-−]?\$?\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\w)")
_ONLY = re.compile(
    r"\(?[-−]?\s?[$€£]?\s?[-−]?(?:\d[\d,]*+(?:\.\d++)?|\.\d++)\)?"
    r"\s?(?:%|percent|x|days|million|billion|thousand)?\.?"
)


def is_number(text: str) -> bool:
    """Whether an answer is a number and nothing else but its unit."""
    return bool(_ONLY.fullmatch(text.strip().lower()))


def numbers(text: str) -> list[Decimal]:
    """Those that stand alone; a year is one too, part of a word is none."""
    return [Decimal(found.replace(",", "")) for found in _NUMBER.findall(text)]


def says(given: str, known: str) -> bool:
    """Whether a number of `given` is the first one of `known`."""
    wanted = next(iter(numbers(known)), None)
    if wanted is None:
        return False
    half = Decimal(1).scaleb(int(wanted.as_tuple().exponent)) / 2
    return any(abs(one - wanted) <= half for one in numbers(given))
