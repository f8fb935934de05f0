"""Questions that ask the same in other words of the same stems are kept together, on one side of a split."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from vouch.learning.statistics.splits import united

ALIKE = 0.7                             # of all terms of two questions, the share that both have: Jaccard


def groups(questions: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """By text of a question the name of its group: the smallest name of those it is tied to, through any chain.

    `questions` are texts with the analyser's terms. Two are tied if at least ALIKE of their terms are the same.
    """
    terms_of = {text: frozenset(terms) for text, terms in questions}
    name_of = {text: " ".join(sorted(terms)) or " ".join(text.casefold().split()) for text, terms in terms_of.items()}
    sets = {name_of[text]: terms for text, terms in sorted(terms_of.items())}
    names = sorted(sets)
    tied = dict(zip(names, united([*([name] for name in names), *_pairs(sets)]), strict=False))
    return {text: tied[name] for text, name in name_of.items()}


def _pairs(sets: dict[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Of two sets that are alike, the rarest terms of both overlap: only those that do are compared."""
    frequency = Counter(term for terms in sets.values() for term in terms)
    seen: dict[str, list[str]] = defaultdict(list)
    for name, terms in sorted(sets.items()):
        rarest = sorted(terms, key=lambda term: (frequency[term], term))
        rarest = rarest[: len(terms) - math.ceil(ALIKE * len(terms) - 1e-9) + 1]
        for other in sorted({one for term in rarest for one in seen[term]}):
            both = len(terms & sets[other])
            if both >= ALIKE * (len(terms) + len(sets[other]) - both) - 1e-9:
                yield other, name
        for term in rarest:
            seen[term].append(name)
