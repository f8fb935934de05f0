"""The feature vector of a candidate as it stood before reranking, kept with every answer to learn from.

A change of names or meanings raises FEATURE_SCHEMA. What a candidate lacks
is 0 with its `…_missing` flag set: absent from a list is not last in it.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from vouch.ports.analyser import Analyser
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.fusion import RRF_K
from vouch.retrieval.query import Query

FEATURE_SCHEMA = 1
FEATURE_NAMES = (
    "bm25_score", "bm25_rank", "bm25_rrf", "bm25_missing",
    "sem_score", "sem_rank", "sem_rrf", "sem_missing",
    "chunk_len",                        # characters of the passage
    "doc_len",                          # chunks of its document
    "title_match", "section_match",     # share of the question's distinct terms found there
    "position",                         # 0 first chunk of the document … 1 last
    "is_seed",                          # found by a retriever itself
    "expansion_adjacent", "expansion_same_section",
    "seed_score",                       # fused score of the seed; a seed's is its own
    "same_section_above", "same_document_above",
)


def feature_vectors(
    query: Query, candidates: Sequence[Candidate], analyser: Analyser
) -> list[dict[str, float]]:
    """One vector per candidate, in their order, which is the order that the `…_above` counts refer to.

    The `…_rrf` features are by RRF_K, whatever the settings fuse by, so that they mean the same in all answers.
    """
    wanted = frozenset(query.terms)

    @cache
    def match(text: str) -> float:
        return len(wanted & set(analyser.terms(text))) / len(wanted) if wanted else 0.0

    fused = {c.chunk_id: c.fused_score for c in candidates}
    sections: Counter[tuple[str, ...]] = Counter()
    documents: Counter[tuple[str, str]] = Counter()
    vectors = []
    for c in candidates:
        p = c.passage
        document, section = (p.source, p.path), (p.source, p.path, *p.section)
        vectors.append({
            **_list_features("bm25", c.lexical_score, c.lexical_rank),
            **_list_features("sem", c.dense_score, c.dense_rank),
            "chunk_len": float(len(p.text)),
            "doc_len": float(p.document_chunks),
            "title_match": match(p.title),
            "section_match": match(" ".join(p.section)),
            "position": p.ordinal / max(p.document_chunks - 1, 1),
            "is_seed": float(c.lexical_rank is not None or c.dense_rank is not None),
            "expansion_adjacent": float(c.expansion == "adjacent"),
            "expansion_same_section": float(c.expansion == "same_section"),
            "seed_score": fused.get(c.seed, 0.0) if c.seed else c.fused_score,
            "same_section_above": float(sections[section]),
            "same_document_above": float(documents[document]),
        })
        sections[section] += 1
        documents[document] += 1
    return vectors


def _list_features(name: str, score: float | None, rank: int | None) -> dict[str, float]:
    if score is None or rank is None:
        return {f"{name}_score": 0.0, f"{name}_rank": 0.0, f"{name}_rrf": 0.0, f"{name}_missing": 1.0}
    reciprocal = 1 / (RRF_K + rank)
    return {f"{name}_score": score, f"{name}_rank": float(rank), f"{name}_rrf": reciprocal, f"{name}_missing": 0.0}
