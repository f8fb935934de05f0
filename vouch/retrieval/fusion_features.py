"""The features of a candidate as it stood before reranking: what a learned fusion weighs, kept with every answer.

A change of names or meanings raises FEATURE_SCHEMA. What a candidate lacks
is 0 with its `…_missing` flag set: absent from a list is not last in it.
None depends on how the lists were fused, so features of all answers compare.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.errors import BadInput
from vouch.ports.models import Analyser
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.values.candidate import Candidate, Statistics
from vouch.values.question import Query

Floats = NDArray[np.float64]

FEATURE_SCHEMA = 2
OF_THE_QUESTION = (                     # the same for all candidates: they weigh only together with another feature
    "question_terms",                   # how many distinct terms
    "question_rare",                    # share of them that at most one visible passage in a hundred holds
    "question_identifiers",             # share of its words with a digit, an underscore or a capital inside
    "question_word",                    # begins with who, what, when …
)
FEATURE_NAMES = (
    "bm25_score", "bm25_rank", "bm25_rrf", "bm25_missing",
    "bm25_share",                       # of the best BM25 score
    "sem_score", "sem_rank", "sem_rrf", "sem_missing",
    "sem_gap",                          # below the best cosine
    "chunk_len",                        # characters of the passage
    "doc_len",                          # chunks of its document
    "title_match", "section_match",     # share of the question's distinct terms found there
    "position",                         # 0 first chunk of the document … 1 last
    "is_seed",                          # found by a retriever itself
    "expansion_adjacent", "expansion_same_section",
    "seed_score",                       # reciprocal ranks of the seed; a seed's are its own
    "same_section_above", "same_document_above",    # in the order of reciprocal ranks
    *OF_THE_QUESTION,
)
RARE = 0.01
LARGEST = 1e100                         # what features that were kept may sum up to: squares are numbers, too
in_order = itemgetter(*FEATURE_NAMES)   # the values of a mapping by name, as a tuple
_RECIPROCAL_RANKS = ReciprocalRanks()
_QUESTION_WORDS = frozenset(["who", "whom", "whose", "what", "which", "when", "where", "why", "how"])


def usable_features(features: Any) -> bool:
    """Whether each is there and a number: what the ledger holds is data to distrust."""
    try:
        return bool(sum(map(abs, in_order(features))) < LARGEST)    # of NaN and infinity the sum is one, too
    except (TypeError, KeyError, OverflowError):
        return False


def feature_matrix(
    query: Query, candidates: Sequence[Candidate], statistics: Statistics, analyser: Analyser
) -> Floats:
    """One row per candidate, one column per name, whatever the order of the candidates.

    `statistics` are those of the query's terms over what its audience may see.
    """
    reciprocal = _RECIPROCAL_RANKS.scores(query, candidates)
    score_of = {c.chunk_id: score for c, score in zip(candidates, reciprocal, strict=True)}
    above = _above(candidates, reciprocal)
    wanted = frozenset(query.terms)

    @cache
    def match(text: str) -> float:
        return len(wanted.intersection(analyser.terms(text))) / len(wanted) if wanted else 0.0

    best_lexical = max((c.lexical_score or 0.0 for c in candidates), default=0.0)
    best_dense = max((c.dense_score for c in candidates if c.dense_score is not None), default=0.0)
    of_question = _of_question(query, statistics)
    rows = [
        (
            *_list_features(c.lexical_score, c.lexical_rank),
            c.lexical_score / best_lexical if c.lexical_score and best_lexical > 0 else 0.0,
            *_list_features(c.dense_score, c.dense_rank),
            best_dense - c.dense_score if c.dense_score is not None else 0.0,
            len(c.passage.text),
            c.passage.document_chunks,
            match(c.passage.title),
            match(" ".join(c.passage.section)),
            c.passage.ordinal / max(c.passage.document_chunks - 1, 1),
            c.lexical_rank is not None or c.dense_rank is not None,
            c.expansion == "adjacent",
            c.expansion == "same_section",
            score_of.get(c.seed, 0.0) if c.seed else score,
            *above[c.chunk_id],
            *of_question,
        )
        for c, score in zip(candidates, reciprocal, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(FEATURE_NAMES))


def feature_vectors(
    query: Query, candidates: Sequence[Candidate], statistics: Statistics, analyser: Analyser
) -> list[dict[str, float]]:
    """The rows of `feature_matrix` with their names."""
    matrix = feature_matrix(query, candidates, statistics, analyser)
    return [dict(zip(FEATURE_NAMES, row, strict=True)) for row in matrix.tolist()]


def kept_matrix(rows: Sequence[Mapping[str, float]]) -> Floats:
    """The matrix that `feature_vectors` made these rows of. Raises BadInput where a feature is missing."""
    if any(name not in row for row in rows for name in FEATURE_NAMES):
        raise BadInput("the features of an answer are not whole", cure="ask again")
    matrix = np.array([[row[name] for name in FEATURE_NAMES] for row in rows], dtype=np.float64)
    return matrix.reshape(len(rows), len(FEATURE_NAMES))


def _list_features(score: float | None, rank: int | None) -> tuple[float, int, float, float]:
    if score is None or rank is None:
        return 0.0, 0, 0.0, 1.0
    return score, rank, 1 / (_RECIPROCAL_RANKS.k + rank), 0.0


def _above(candidates: Sequence[Candidate], reciprocal: Sequence[float]) -> dict[str, tuple[int, int]]:
    """By chunk id, how many candidates of its section and of its document have better reciprocal ranks."""
    sections: dict[tuple[str, str, tuple[str, ...]], int] = {}
    documents: dict[tuple[str, str], int] = {}
    better_counts = {}
    ordered = sorted(zip([-score for score in reciprocal], [c.chunk_id for c in candidates], count()))
    for _, chunk_id, index in ordered:
        passage = candidates[index].passage
        section, document = (passage.source, passage.path, passage.section), (passage.source, passage.path)
        better_counts[chunk_id] = of_section, of_document = sections.get(section, 0), documents.get(document, 0)
        sections[section], documents[document] = of_section + 1, of_document + 1
    return better_counts


def _of_question(query: Query, statistics: Statistics) -> tuple[float, float, float, float]:
    terms = set(query.terms)
    words = query.text.split()
    rare = sum(statistics.frequency.get(term, 0) <= RARE * statistics.rows for term in terms)
    identifiers = sum(map(_identifies, words))
    first = words[0].lower().strip("\"'“‘([") if words else ""
    return (float(len(terms)), rare / len(terms) if terms else 0.0, identifiers / len(words) if words else 0.0,
            float(first in _QUESTION_WORDS))


def _identifies(word: str) -> bool:
    return "_" in word or any(map(str.isdigit, word)) or word[1:] != word[1:].lower()
