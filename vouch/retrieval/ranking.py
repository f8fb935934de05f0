"""The one way from a question to ranked passages, which answers, searches, evaluation and training take.

A search for one engine's list or for the fused one ends sooner: it takes the question as it stands, to the same depth
and with the same fusion, and goes through none of a recipe's steps.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from vouch.ports.index import Fusion, View
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.hits import Hits
from vouch.retrieval.injections import without_orders
from vouch.retrieval.named_rows import named_first
from vouch.retrieval.recipe.finding import Expand, Fuse, Near, Retrieve, Spread
from vouch.retrieval.recipe.reranking import ENGINES, Rerank
from vouch.retrieval.recipe.step import PHASES, Bench, Made, Phase, RankingModels, Search, Step
from vouch.values.candidate import Candidate
from vouch.values.question import Query

Counted = Callable[[int], object]
Stage = Callable[[str], AbstractContextManager[Counted]]
"""Entered for each stage, and told what it has come to, as a number."""
_RECIPROCAL_RANKS = ReciprocalRanks()
USUAL: tuple[Step, ...] = (Retrieve(), Fuse(), Expand(), Rerank())
BROAD: tuple[Step, ...] = (Retrieve(), Near(), Fuse(), Spread(), Rerank())
"""For questions that want everything there is."""


def untimed(stage: str) -> AbstractContextManager[Counted]:
    """For rankings that nobody times."""
    return nullcontext(_uncounted)


def _uncounted(number: int) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How deep a question is searched, how the lists are fused, what the reranker reads, and in which steps."""

    top: int = 100                      # hits of each engine
    rerank: int = 20                    # candidates that the reranker reads
    engines: float = ENGINES            # what each engine's score counts beside the reranker's
    fusion: Fusion = _RECIPROCAL_RANKS
    steps: tuple[Step, ...] = USUAL


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidates after each stage, each list in its own order.

    `pooled` begins with what the reranker read. `avoided` were near, and held
    sentences that give orders to a language model. `fused_by` names what fused the lists.
    `made`: what steps made that is no passage. `words_of`: passages whose words were searched for.
    """

    hits: Hits
    fused: list[Candidate]
    pooled: list[Candidate]
    candidates: list[Candidate]
    avoided: tuple[Candidate, ...]
    fused_by: str
    made: tuple[Made, ...] = ()
    words_of: tuple[Candidate, ...] = ()


def rank(
    view: View, query: Query, models: RankingModels, how: Ranking, *, near: int = 0, stage: Stage = untimed
) -> Ranked:
    """`near`: of so many first candidates it is said if they were avoided. `stage` is entered for each stage's time.

    Whatever the steps: none after `expand` sees a sentence that gives orders to a language model, and what has a row
    that the question names by its first cell comes first.
    """
    bench, search = Bench(view, models, how), Search(query, query)
    avoided: tuple[Candidate, ...] = ()
    for phase in PHASES:
        with stage(phase) as counted:
            search = _gone_through(phase, search, bench, how.steps)
            if phase == "fuse":
                counted(len(search.fused))
            elif phase == "rerank":
                counted(min(len(search.candidates), how.rerank))
        if phase == "expand":
            candidates, avoided = without_orders(search.pooled, near)
            search = replace(search, pooled=candidates, candidates=candidates)
    return Ranked(
        search.hits[0], search.fused, search.pooled, named_first(query.text, search.candidates), avoided,
        search.fused_by, search.made, search.words_of,
    )


def _gone_through(phase: Phase, search: Search, bench: Bench, steps: Sequence[Step]) -> Search:
    for step in steps:
        if step.phase == phase:
            search = step.run(search, bench)
    return search
