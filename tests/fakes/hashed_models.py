"""Models without weights: vectors of hashed terms, and overlap of terms as a reranker.

They know words but no meaning. For tests, and for trying the system where no
model can be loaded; a few thousand texts a second.
"""

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from vouch.ports.models import Analyser, Vector


class HashedEncoder:
    """Implements the Encoder port: each distinct term adds a fixed pseudo-random direction."""

    def __init__(self, analyser: Analyser, dimensions: int = 64) -> None:
        self._analyser = analyser
        self._dimensions = dimensions

    @property
    def fingerprint(self) -> str:
        return f"hashed:{self._dimensions}:{self._analyser.fingerprint}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def passages(self, texts: Sequence[str]) -> Vector:
        rows = np.zeros((len(texts), self._dimensions), np.float32)
        for n, text in enumerate(texts):
            for term in sorted(set(self._analyser.terms(text))) or [""]:
                rows[n] += self._direction(term)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(norms, 1e-9), np.float32)

    def questions(self, texts: Sequence[str]) -> Vector:
        return self.passages(texts)

    def _direction(self, term: str) -> Vector:
        seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self._dimensions).astype(np.float32)


class OverlapReranker:
    """Implements the Reranker port: share of the question's terms in the passage, shorter passages first."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser

    @property
    def fingerprint(self) -> str:
        return f"overlap:{self._analyser.fingerprint}"

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [self._score(question, passage) for question, passage in pairs]

    def forget(self) -> None:
        """Nothing is remembered."""

    def _score(self, question: str, passage: str) -> float:
        wanted, terms = set(self._analyser.terms(question)), self._analyser.terms(passage)
        if not wanted or not terms:
            return 0.0
        return len(wanted & set(terms)) / len(wanted) * (1 - 0.05 * math.log10(1 + len(terms)))
