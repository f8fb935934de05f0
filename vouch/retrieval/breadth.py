"""Breadth: of the very many hits of a list question, those worth a model's time, spread over their documents.

Both steps see scores and places only, and cost a fraction of a millisecond
for each hundred hits; what they leave is what a model then reads.
"""

from collections import Counter
from collections.abc import Sequence

from vouch.retrieval.candidate import Candidate, Hit
from vouch.retrieval.retrieve import Hits

LEXICAL_SHARE = 0.3                     # of the best BM25 score: about one telling term out of three
DENSE_SHARE = 0.6                       # of the best cosine


def near(hits: Hits) -> Hits:
    """Both lists without what is far from the best of either; what stays keeps its scores in both.

    On 21 subjects asked of 307 passages it leaves 4 to 107, and loses one of
    the 78 documents that name their subject.
    """
    kept = _near(hits.lexical, LEXICAL_SHARE) | _near(hits.dense, DENSE_SHARE)
    lexical, dense = (tuple(h for h in engine if h.chunk_id in kept) for engine in (hits.lexical, hits.dense))
    return Hits(lexical, dense)


def _near(hits: Sequence[Hit], share: float) -> set[str]:
    least = max(hits[0].score, 0.0) * share if hits else 0.0
    return {hit.chunk_id for hit in hits if hit.score >= least}


def spread(candidates: Sequence[Candidate], size: int) -> list[Candidate]:
    """At most `size` candidates: the best of every document before any document's second best."""
    taken: Counter[tuple[str, str]] = Counter()
    turns: list[tuple[int, int]] = []
    for place, candidate in enumerate(candidates):
        document = (candidate.passage.source, candidate.passage.path)
        taken[document] += 1
        turns.append((taken[document], place))
    return [candidates[place] for _, place in sorted(turns)[:size]]
