"""What searches should find, counted from the made-up words and vectors themselves, not from any index."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from corpus import REFERENCE_LENGTH, Corpus
from numpy.typing import NDArray

K1, B = 1.2, 0.75
Float = NDArray[np.float64]


class Oracle:
    """Brute force over a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        lengths = np.diff(corpus.ends)
        self._chunk_of_token = np.repeat(np.arange(corpus.chunks, dtype=np.int32), lengths)
        self._norm = K1 * (1 - B + B * np.array([_byte_length(n) for n in lengths.tolist()]) / REFERENCE_LENGTH)
        self._tf = lru_cache(maxsize=200)(self._count)

    def bm25(self, words: Sequence[int], visible: NDArray[np.bool_]) -> Float:
        """The score of every chunk, statistics of the visible ones alone, −1 outside."""
        scores = np.zeros(self._corpus.chunks)
        for word in words:
            chunks, tf = self._tf(word)
            df = int(np.count_nonzero(visible[chunks]))
            idf = math.log(1 + (int(np.count_nonzero(visible)) - df + 0.5) / (df + 0.5))
            scores[chunks] += idf * tf * (K1 + 1) / (tf + self._norm[chunks])
        return np.where(visible, scores, -1.0)

    def inner_products(self, vector: NDArray[np.float32], visible: NDArray[np.bool_]) -> Float:
        """Of every chunk with `vector`, −2 outside."""
        products = np.full(self._corpus.chunks, -2.0)
        for start in range(0, self._corpus.chunks, 20_000):
            block = self._corpus.vectors[start : start + 20_000].astype(np.float32)
            products[start : start + 20_000] = block @ vector
        return np.where(visible, products, -2.0)

    def _count(self, word: int) -> tuple[NDArray[np.int64], Float]:
        counts = np.bincount(self._chunk_of_token[self._corpus.tokens == word], minlength=self._corpus.chunks)
        chunks = np.flatnonzero(counts)
        return chunks, counts[chunks].astype(np.float64)


def agree(found: Sequence[tuple[int, float]], wanted: Float, top: int, tolerance: float) -> bool:
    """Whether (chunk, score) pairs are a best `top` by `wanted`, each with its score, within a relative tolerance."""
    if len({chunk for chunk, _ in found}) != min(top, int(np.count_nonzero(wanted > 0))):
        return False
    best = np.sort(wanted[wanted > 0])[::-1][: len(found)]
    scores = np.array([score for _, score in found])
    own = wanted[[chunk for chunk, _ in found]]
    return np.allclose(scores, own, tolerance, 0) and np.allclose(np.sort(own)[::-1], best, tolerance, 0)


def recall(found: Sequence[int], wanted: Float, top: int) -> float:
    """Share of the best `top` that was found; what equals the last of them to one in a million counts as it."""
    least = np.sort(wanted)[-top]
    return sum(bool(wanted[chunk] >= least - 1e-6) for chunk in set(found)) / top


def _byte_length(length: int) -> int:
    """`length` after a way through the one byte Lucene has for it (SmallFloat): exact below 40, then four bits."""
    free = 24                           # lengths that need no mantissa: 255 − code(2³¹ − 1)
    if length < free:
        return length
    code, exponent = length - free, 0
    while code >= 16:
        code, exponent = code // 2, exponent + 1
    return free + code * 2**exponent
