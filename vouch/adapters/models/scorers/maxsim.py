"""Reranking by MaxSim: late interaction over the encoder's token vectors.

score(q, p) = mean over the question's word tokens of the greatest cosine with
any token of the passage (Khattab and Zaharia 2020, arXiv 2004.12832, with a
mean in place of the sum so that long and short questions compare).

Measured with MiniLM on 350 answerable SQuAD questions against all 329
paragraphs: R@1 .90 with punctuation left out of the question, .89 with it,
.87 with special tokens as well, .69 for the cosine of sentence vectors.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.encoder import FixedShapeEncoder

_RULES = 2                              # raise when a score of an equal pair could change
_AT_ONCE = 200_000                      # multiplications that numpy's BLAS still does in one thread
_CACHE_BYTES = 128 << 20                # about 1,000 passages of 180 tokens

Stored = NDArray[np.float16]


class MaxSimReranker:
    """Implements the Reranker port. Safe to share between threads."""

    def __init__(self, encoder: FixedShapeEncoder, *, cache_bytes: int = _CACHE_BYTES) -> None:
        self._encoder = encoder
        self._cache: OrderedDict[str, Stored] = OrderedDict()
        self._free = cache_bytes
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        return f"maxsim:{_RULES}:{self._encoder.fingerprint}"

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """One score in [-1, 1] per (question, passage); 0 where either has no tokens."""
        questions = list(dict.fromkeys(question for question, _ in pairs))
        asked = dict(zip(questions, self._encoder.token_vectors(questions, questions=True), strict=True))
        passages = self._passages(list(dict.fromkeys(passage for _, passage in pairs)))
        return [_maxsim(asked[question], passages[passage]) for question, passage in pairs]

    def foresee(self, needed: Sequence[str], likely: Iterable[str]) -> None:
        """Afterwards the vectors of `needed` are kept, and of those of `likely` that fit into the same passes.

        Nothing is read of `likely` where others wait for the encoder: its passes are full without.
        """
        missing = self._unknown(needed)
        spare = self._encoder.fitting(missing, self._unknown(likely)) if self._encoder.asked_by_one else []
        self._passages([*missing, *spare])

    def _unknown(self, texts: Iterable[str]) -> list[str]:
        with self._lock:
            return [text for text in dict.fromkeys(texts) if text not in self._cache]

    def forget(self) -> None:
        """No passage's words or vectors are kept from before."""
        with self._lock:
            self._free += sum(vectors.nbytes for vectors in self._cache.values())
            self._cache.clear()

    def _passages(self, texts: Sequence[str]) -> dict[str, Stored]:
        with self._lock:
            cached = {text: self._cache[text] for text in texts if text in self._cache}
            for text in cached:
                self._cache.move_to_end(text)
        missing = [text for text in texts if text not in cached]
        # Stored and fresh vectors are rounded alike, so the cache never changes a score.
        fresh = {
            text: vectors.astype(np.float16)
            for text, vectors in zip(missing, self._encoder.token_vectors(missing), strict=True)
        }
        with self._lock:
            for text, vectors in fresh.items():
                if text not in self._cache:
                    self._cache[text] = vectors
                    self._free -= vectors.nbytes
            while self._free < 0 and self._cache:
                self._free += self._cache.popitem(last=False)[1].nbytes
        return cached | fresh


def _maxsim(question: NDArray[np.float32], passage: Stored) -> float:
    """In blocks so small that no thread waits for another: beside busy processes .3 ms instead of 1.4."""
    if not len(question) or not len(passage):
        return 0.0
    rows = max(1, _AT_ONCE // question.size)
    blocks = [passage[start : start + rows].astype(np.float32) for start in range(0, len(passage), rows)]
    best = np.max([(question @ block.T).max(axis=1) for block in blocks], axis=0)
    return float(best.mean())
