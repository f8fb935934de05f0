"""Rerank: the pool in the order of a model that reads question and passage together, joined with both engines."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vouch.documents.chunk import model_input
from vouch.ports.reranker import Reranker
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import Query

ENGINES = 0.25                          # what each engine's score counts beside the model's
_EQUAL = 1e-9                           # scores that differ by less say nothing


def rerank(
    reranker: Reranker, query: Query, candidates: list[Candidate], size: int, engines: float = ENGINES
) -> list[Candidate]:
    """The first `size` candidates, best first, ties by chunk id; the rest follows unscored.

    What decides is the model's score and, times `engines`, that of each
    engine, each of them standardised over the pool. A candidate that an engine
    did not find counts as the worst it found.

    The model reads the section path before the passage, as the indices do:
    "12 weeks for everybody" answers a question on leave only under its heading.
    """
    pool = candidates[:size]
    texts = [model_input(c.passage.section, c.passage.text, c.passage.header) for c in pool]
    scores = reranker.scores([(query.text, text) for text in texts])
    lexical, dense = ([c.lexical_score for c in pool], [c.dense_score for c in pool])
    joined = _standard(scores) + engines * (_standard(lexical) + _standard(dense))
    ordered = sorted(range(len(pool)), key=lambda n: (-joined[n], pool[n].chunk_id))
    ranked = [replace(pool[n], rerank_score=scores[n], rerank_rank=rank) for rank, n in enumerate(ordered, 1)]
    return ranked + candidates[size:]


def _standard(scores: Sequence[float | None]) -> NDArray[np.float64]:
    """Deviations from the mean; zeros where the scores are equal, or there are none."""
    known = [score for score in scores if score is not None]
    if not known or max(known) - min(known) < _EQUAL:
        return np.zeros(len(scores))
    least = min(known)
    values = np.array([least if score is None else score for score in scores])
    return np.asarray((values - values.mean()) / values.std())
