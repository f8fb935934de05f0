"""Passages that a search of the handbook finds for a question, and that do not answer it.

A judge orders what both engines found. So its wrong passages are taken from
such lists, not from one engine alone: those would teach it to distrust that engine.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.models.encoder import load_encoder

Key = tuple[str, str, str]
Part = tuple[Key, str]                  # the section it is of
_RRF = 60


class HardPassages:
    """Over parts of all sections of some handbooks; a question is searched in its own."""

    def __init__(self, parts: Sequence[Part], most: int) -> None:
        """`most`: so many first places of a list are looked at."""
        self._most = most
        self._analyser, self._encoder = SnowballAnalyser(), load_encoder()
        self._parts: dict[str, list[Part]] = defaultdict(list)
        for part in parts:
            self._parts[part[0][0]].append(part)
        self._vectors = {repo: self._encoder.passages([text for _, text in own]) for repo, own in self._parts.items()}
        self._words = {
            repo: BM25Okapi([self._analyser.terms(text) or [""] for _, text in own])
            for repo, own in self._parts.items()
        }

    def find(self, asked: Sequence[tuple[Key, str, str]]) -> list[list[Part]]:
        """Of each (section, question, words that answer): the first parts of other sections without these words."""
        vectors = self._encoder.questions([question for _, question, _ in asked])
        return [self._of(*one, vector) for one, vector in zip(asked, vectors, strict=True)]

    def _of(self, key: Key, question: str, answer: str, vector: NDArray[np.float32]) -> list[Part]:
        own = self._parts[key[0]]
        both = (self._vectors[key[0]] @ vector, self._words[key[0]].get_scores(self._analyser.terms(question)))
        fused = sum(1 / (_RRF + np.argsort(np.argsort(-scores, kind="stable"), kind="stable")) for scores in both)
        first = [own[i] for i in np.argsort(-np.asarray(fused), kind="stable")[: self._most]]
        return [part for part in first if part[0] != key and answer not in part[1]]


def parts_of(texts: Mapping[Key, Mapping[str, str]], repos: set[str], size: int) -> list[Part]:
    """All sections of some handbooks, cut to `size` characters."""
    return [
        (key, row["text"][at : at + size])
        for key, row in sorted(texts.items()) if key[0] in repos
        for at in range(0, max(1, len(row["text"]) - size // 3), size)
    ]
