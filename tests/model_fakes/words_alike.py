"""Models that move no rank for the sake of words that nobody asked for, and sentences of such words."""

import re
from collections.abc import Sequence

import numpy as np
from fakes.hashed_models import HashedEncoder, OverlapReranker

from vouch.ports.models import Analyser, Vector

_ORDINARY = [
    "windows", "curtains", "carpets", "benches", "lamps", "stairs", "corridors", "shelves", "kettles", "plants",
    "mirrors", "cushions", "drawers", "blankets", "pillows", "candles", "buckets", "ladders", "bottles", "baskets",
]


_DIRECTIONS: dict[str, Vector] = {}    # the same in all worlds


class AlikeEncoder(HashedEncoder):
    """Every word that is not in `vocabulary`, in terms, has the same direction."""

    def __init__(self, analyser: Analyser, vocabulary: frozenset[str]) -> None:
        super().__init__(analyser)
        self._vocabulary = vocabulary

    def _direction(self, term: str) -> Vector:
        known = term if term in self._vocabulary else ""
        if known not in _DIRECTIONS:
            _DIRECTIONS[known] = super()._direction(known)
        return _DIRECTIONS[known]

    def passages(self, texts: Sequence[str]) -> Vector:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for n, text in enumerate(texts):
            for term in sorted({t if t in self._vocabulary else "" for t in self._analyser.terms(text)}):
                rows[n] += self._direction(term)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(norms, 1e-9), np.float32)


class PlainOverlap(OverlapReranker):
    """Share of the question's terms in the passage, however long it is."""

    def _score(self, question: str, passage: str) -> float:
        wanted = set(self._analyser.terms(question))
        return len(wanted.intersection(self._analyser.terms(passage))) / len(wanted) if wanted else 0.0


def ordinary(order: str, analyser: Analyser) -> str:
    """A sentence of as many terms, in household words; none of the order's is in it, but for small ones."""
    fillers, words = iter(_ORDINARY), list[str]()
    for word in re.findall(r"\w+", order.casefold()):
        terms = analyser.terms(word)
        words += [next(fillers) for _ in terms] if terms else [word]
    return f"{' '.join(words)}."
