"""Words of an answer against known ones, as SQuAD compares them (Rajpurkar et al. 2016, 2018).

Case, punctuation, the articles a, an and the, and space do not count. Exact
match is equality of what is left. F1 is the harmonic mean of precision and
recall over its words, each counted as often as it stands there. Of several
known answers the best one counts. No answer equals no answer alone.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

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
