"""What people see of a text."""

import re
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_NOT_DRAWN = re.compile(                # of other categories: variation selectors, joiners, and letters without a shape
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U00013441\U00013442\U0001d159"
    "\U000e0100-\U000e01ef]")


def shown(text: str) -> str:
    """Its letters without what is not seen: control characters, and marks that turn the order of others around."""
    return "".join(char for char in text.replace("\r\n", "\n") if char in "\n\t" or not _unseen(char))


def legible(text: str) -> str:
    """What people see of it, and nothing else: also without signs that only change how others look, and fillers."""
    return _NOT_DRAWN.sub("", shown(text)).strip()


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in _UNSEEN
