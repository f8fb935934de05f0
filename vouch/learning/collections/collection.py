"""A labeled collection that can be searched as the served one is, so that what is learned there means the same.

It is a View over passages in memory: the same ranking and evidence run on it
that answer a person's question.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vouch.documents.chunk import model_input
from vouch.filters import Filters
from vouch.ports.models import Analyser, Encoder, Reranker, Vector
from vouch.retrieval.bm25 import K1, REFERENCE_LENGTH, B
from vouch.retrieval.evidence_features import evidence_features
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.retrieval.recipe.step import RankingModels
from vouch.values.candidate import Candidate, Hit, Listed, Passage, Statistics
from vouch.values.question import Query

RANKING = Ranking()                     # as served by default


def text_passage(number: int, title: str, text: str, path: str = "") -> Passage:
    """A passage that is a whole document, as data sets have them."""
    return Passage(
        chunk_id=f"{number:08d}", source="data", path=path or title, title=title, section=(), text=text, start=0,
        end=len(text), first_line=1, last_line=1, ordinal=0, document_chunks=1,
    )


class Collection:
    """Passages with postings and vectors. `version` and `epoch` are always 0."""

    version = 0
    epoch = 0
    notes = ()

    def __init__(self, passages: Sequence[Passage], encoder: Encoder, reranker: Reranker, analyser: Analyser) -> None:
        self._passages = {passage.chunk_id: passage for passage in passages}
        self._ids = [passage.chunk_id for passage in passages]
        self._row = {chunk_id: row for row, chunk_id in enumerate(self._ids)}
        self._encoder, self._reranker, self._analyser = encoder, reranker, analyser
        texts = [model_input(p.section, p.text, p.header) for p in passages]
        self._vectors: Vector = encoder.passages(texts)
        self._postings = _postings([analyser.terms(text) for text in texts])
        self._hidden = np.zeros(len(passages), dtype=bool)

    def judged(self, question: str, *, hidden: Iterable[str] = ()) -> list[Candidate]:
        """The candidates a question would be judged on, with features, as if the `hidden` ids did not exist."""
        self._hidden[:] = False
        self._hidden[[self._row[chunk_id] for chunk_id in hidden]] = True
        query = form_query(question, self._analyser)
        models = RankingModels(self._encoder, self._reranker, self._analyser, None)     # the usual steps ask nobody
        return self._described(query, rank(self, query, models, RANKING).candidates[: RANKING.rerank])

    def given(self, questions: Sequence[tuple[str, Sequence[str]]]) -> list[list[Candidate]]:
        """Per (question, chunk ids) these very candidates, with features; many at once fill the batches."""
        self._hidden[:] = False
        queries = [form_query(question, self._analyser) for question, _ in questions]
        lists = [self.passages(chunk_ids) for _, chunk_ids in questions]
        scores = iter(self._reranker.scores([
            (query.text, model_input(p.section, p.text, p.header))
            for query, passages in zip(queries, lists, strict=True) for p in passages
        ]))
        vectors = self._encoder.questions([query.text for query in queries])
        return [
            self._described(query, [
                Candidate(p, dense_score=float(self._vector(p) @ vector), rerank_score=next(scores))
                for p in passages
            ])
            for query, passages, vector in zip(queries, lists, vectors, strict=True)
        ]

    def _vector(self, passage: Passage) -> Vector:
        return np.asarray(self._vectors[self._row[passage.chunk_id]], np.float32)

    def _described(self, query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
        statistics = self.statistics(query.terms)
        features = evidence_features(query.text, query.terms, statistics, candidates, self._analyser.terms)
        return [replace(c, features=f) for c, f in zip(candidates, features, strict=True)]

    def narrowed(self, filters: Filters) -> "Collection":
        kept = [filters.places(p.source, p.path) and filters.dates(p.changed_at) and filters.owned(())
                for p in self._passages.values()]
        twin = copy.copy(self)
        twin._hidden = self._hidden | ~np.array(kept, dtype=bool)
        return twin

    def lexical(self, terms: Sequence[str], top: int) -> list[Hit]:
        scores = np.zeros(len(self._ids))
        statistics = self.statistics(terms)
        for term in terms:
            rows, weights = self._postings.get(term, (_NO_ROWS, _NO_WEIGHTS))
            frequency = statistics.frequency[term]
            scores[rows] += np.log(1 + (statistics.rows - frequency + 0.5) / (frequency + 0.5)) * weights
        return self._best(scores, scores > 0, top)

    def dense(self, vector: Vector, top: int) -> list[Hit]:
        return self._best((self._vectors @ vector).astype(np.float64), np.ones(len(self._ids), dtype=bool), top)

    def statistics(self, terms: Iterable[str]) -> Statistics:
        frequency = {
            term: int((~self._hidden[self._postings.get(term, (_NO_ROWS, _NO_WEIGHTS))[0]]).sum()) for term in terms
        }
        return Statistics(int((~self._hidden).sum()), frequency)

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        return [self._passages[chunk_id] for chunk_id in chunk_ids]

    def starting(self, digits: str) -> list[str]:
        return sorted(chunk_id for chunk_id in self._ids if chunk_id.startswith(digits))

    def around(self, chunk_id: str, before: int, after: int) -> list[str]:
        return []

    def of_document(self, source: str, path: str) -> list[str]:
        return []

    def documents(self, after: tuple[str, str], most: int) -> list[Listed]:
        return []

    def same_section(self, chunk_id: str) -> list[str]:
        return []

    def _best(self, scores: NDArray[np.float64], allowed: NDArray[np.bool_], top: int) -> list[Hit]:
        rows = np.flatnonzero(allowed & ~self._hidden)
        best = sorted(rows, key=lambda row: (-scores[row], self._ids[row]))[:top]
        return [Hit(self._ids[row], float(scores[row])) for row in best]


_NO_ROWS: NDArray[np.int64] = np.zeros(0, np.int64)
_NO_WEIGHTS: NDArray[np.float64] = np.zeros(0)


def _postings(documents: Sequence[list[str]]) -> dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for row, terms in enumerate(documents):
        norm = K1 * (1 - B + B * len(terms) / REFERENCE_LENGTH)
        for term, count in Counter(terms).items():
            found.setdefault(term, []).append((row, count * (K1 + 1) / (count + norm)))
    return {
        term: (np.array([row for row, _ in pairs], np.int64), np.array([weight for _, weight in pairs]))
        for term, pairs in found.items()
    }
