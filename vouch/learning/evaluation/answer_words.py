"""Answers against known ones: words as SQuAD compares them, numbers as numbers, ROUGE-L.

Case, punctuation, the articles a, an and the, and space do not count. Exact
match is equality of what is left. F1 is the harmonic mean of precision and
recall over its words, each counted as often as it stands there. Of several
known answers the best one counts. No answer equals no answer alone.

Signs of currency and percent, separators of thousands, and the sign do not
count: filings write what was paid in brackets. A known number is met by one
that rounds to it at the decimals it is written with.

Recall is its length by the words of the known text, precision by those of the
given one; the figure is their harmonic mean. Words are runs of letters and
digits, lower-cased, as the usual implementation has them; which stemmer
shortens them is the caller's choice, and moves the figure a little.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_MARKS = str.maketrans("", "", string.punctuation)


def normal(text: str) -> str:
    """As the evaluation script of SQuAD has it."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_MARKS)).split())


def exact(given: str, known: Sequence[str]) -> float:
    """1 or 0; `known` without any: that there is no answer."""
    return float(any(normal(given) == normal(one) for one in known or ("",)))


def overlap(given: str, known: Sequence[str]) -> float:
    """F1 of the words, of the known answer that is nearest."""
    return max(_f1(normal(given).split(), normal(one).split()) for one in known or ("",))


def holds(given: str, known: Sequence[str]) -> bool:
    """Whether the words of a known answer stand in it, one after the other."""
    words = f" {normal(given)} "
    return any(f" {normal(one)} " in words for one in known if normal(one))


def _f1(given: Sequence[str], known: Sequence[str]) -> float:
    if not given or not known:
        return float(list(given) == list(known))
    common = sum((Counter(given) & Counter(known)).values())
    return 2 * common / (len(given) + len(known))


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


_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_KEPT = 3                       # shorter words are not stemmed


def rouge_words(text: str, stem: Callable[[str], str]) -> list[str]:
    """The words as they are compared."""
    return [word if len(word) <= _LONGEST_KEPT else stem(word) for word in _WORD.findall(text.lower())]


def rouge_l(given: Sequence[str], known: Sequence[str]) -> float:
    """0 where either is without words."""
    common = _common(given, known)
    return 2 * common / (len(given) + len(known)) if common else 0.0


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    Bits of a whole number stand for the words of `a` (Crochemore et al. 2001): one addition for each word of `b`.
    """
    where: dict[str, int] = {}
    for position, word in enumerate(a):
        where[word] = where.get(word, 0) | 1 << position
    whole = (1 << len(a)) - 1
    row = whole
    for word in b:
        same = row & where.get(word, 0)
        row = ((row + same) | (row - same)) & whole
    return len(a) - row.bit_count()
