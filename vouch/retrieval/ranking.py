"""The one way from a question to ranked passages, which answers, searches, evaluation and training take.

A search that ends sooner, at one engine or at the fused list, runs the same first steps.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from vouch.ports.analyser import Analyser
from vouch.ports.encoder import Encoder
from vouch.ports.fusion import Fusion
from vouch.ports.index import View
from vouch.ports.reranker import Reranker
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.expansion import expand
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.orders import without_orders
from vouch.retrieval.query import Query
from vouch.retrieval.rerank import ENGINES, rerank
from vouch.retrieval.retrieve import Hits, retrieve

Counted = Callable[[int], object]
Stage = Callable[[str], AbstractContextManager[Counted]]
"""Entered for each stage, and told what it has come to, as a number."""
_RECIPROCAL_RANKS = ReciprocalRanks()


def untimed(stage: str) -> AbstractContextManager[Counted]:
    """For rankings that nobody times."""
    return nullcontext(_uncounted)


def _uncounted(number: int) -> None:
    """Nobody wants to know."""


def all_hits(hits: Hits) -> Hits:
    """For questions whose few hits are all worth a look."""
    return hits


@dataclass(frozen=True, slots=True)
class Ranking:
    """How deep a question is searched, how the lists are fused, and what the reranker reads."""

    top: int = 100                      # hits of each engine
    rerank: int = 20                    # candidates that the reranker reads
    engines: float = ENGINES            # what each engine's score counts beside the reranker's
    fusion: Fusion = _RECIPROCAL_RANKS
    thin: Callable[[Hits], Hits] = all_hits
    pool: Callable[[View, list[Candidate], int], list[Candidate]] = expand


@dataclass(frozen=True, slots=True)
class RankingModels:
    encoder: Encoder
    reranker: Reranker
    analyser: Analyser


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidates after each stage, each list in its own order.

    `pooled` begins with what the reranker read. `avoided` were near, and held
    sentences that give orders to a language model. `fused_by` names what fused the lists.
    """

    hits: Hits
    fused: list[Candidate]
    pooled: list[Candidate]
    candidates: list[Candidate]
    avoided: tuple[Candidate, ...]
    fused_by: str


def rank(
    view: View, query: Query, models: RankingModels, how: Ranking, *, near: int = 0, stage: Stage = untimed
) -> Ranked:
    """`near`: of so many first candidates it is said if they were avoided. `stage` is entered for each stage's time."""
    with stage("retrieve"):
        hits = how.thin(retrieve(view, models.encoder, query, how.top))
    with stage("fuse") as found:
        fused, fused_by = fuse(view, query, hits, how.fusion)
        found(len(fused))
    with stage("expand"):
        pooled = how.pool(view, fused, how.rerank)
    pooled, avoided = without_orders(pooled, query.terms, models.analyser.terms, near)
    with stage("rerank") as read:
        candidates = rerank(models.reranker, query, pooled, how.rerank, how.engines)
        read(min(len(candidates), how.rerank))
    return Ranked(hits, fused, pooled, candidates, avoided, fused_by)
