"""Rerank: the pool in the order of a model that reads question and passage together, and the steps that do so."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from vouch.documents.chunk import model_input
from vouch.ports.models import Reranker
from vouch.retrieval.question.query import form_query
from vouch.retrieval.recipe.finding import Most
from vouch.retrieval.recipe.step import Bench, Depth, Phase, Search, Step
from vouch.retrieval.recipe.suggesting import temporary_answer
from vouch.values.candidate import Candidate
from vouch.values.question import Query

ENGINES = 0.25                          # what each engine's score counts beside the model's
_EQUAL = 1e-9                           # scores that differ by less say nothing


def rerank(
    reranker: Reranker, query: Query, candidates: list[Candidate], size: int, engines: float = ENGINES
) -> list[Candidate]:
    """The first `size` candidates, best first, ties by chunk id; the rest follows unscored.

    What decides is what `joined_scores` says. The model reads the section path before the passage, as the indices do:
    "12 weeks for everybody" answers a question on leave only under its heading.
    """
    pool = candidates[:size]
    texts = [model_input(c.passage.section, c.passage.text, c.passage.header) for c in pool]
    scores = reranker.scores([(query.text, text) for text in texts])
    joined = joined_scores(scores, pool, engines)
    ordered = sorted(range(len(pool)), key=lambda n: (-joined[n], pool[n].chunk_id))
    ranked = [replace(pool[n], rerank_score=scores[n], rerank_rank=rank) for rank, n in enumerate(ordered, 1)]
    return ranked + candidates[size:]


def joined_scores(
    said: Sequence[float | None], pool: Sequence[Candidate], engines: float = ENGINES
) -> NDArray[np.float64]:  # fmt: skip
    """The reranker's score and, times `engines`, that of each engine, each of them standardised over the pool. A
    candidate that an engine did not find counts as the worst it found."""
    lexical, dense = ([c.lexical_score for c in pool], [c.dense_score for c in pool])
    return np.asarray(_standard(said) + engines * (_standard(lexical) + _standard(dense)))


def _standard(scores: Sequence[float | None]) -> NDArray[np.float64]:
    """Deviations from the mean; zeros where the scores are equal, or there are none."""
    known = [score for score in scores if score is not None]
    if not known or max(known) - min(known) < _EQUAL:
        return np.zeros(len(scores))
    least = min(known)
    values = np.array([least if score is None else score for score in scores])
    return np.asarray((values - values.mean()) / values.std())


class Rerank(Step):
    """The best candidates in the order of the reranker, joined with the scores of the engines."""

    name: ClassVar[str] = "rerank"
    phase: ClassVar[Phase] = "rerank"
    read: Annotated[Most | None, Field(description="Candidates that are read; unset: as set for all.")] = None
    keep: Annotated[Most | None, Field(description="Candidates that stay; unset: all.")] = None

    def depth(self) -> Depth:
        return Depth(read=self.read)

    def run(self, search: Search, bench: Bench) -> Search:
        return _reordered(search, bench, search.query, self.read or bench.how.rerank, self.keep)


class GuidedRerank(Step):
    """The reranker reads a temporary answer after the question: what says the same comes first."""

    name: ClassVar[str] = "guided_rerank"
    phase: ClassVar[Phase] = "rerank"
    read: Annotated[Most | None, Field(description="Candidates that are read; unset: as set for all.")] = None
    keep: Annotated[Most | None, Field(description="Candidates that stay; unset: all.")] = None
    passages: Annotated[int, Field(ge=1, le=20, description="Candidates that the temporary answer is from.")] = 5

    def depth(self) -> Depth:
        return Depth(read=self.read)

    def run(self, search: Search, bench: Bench) -> Search:
        told = temporary_answer(search, bench, search.candidates[: self.passages])
        search = replace(search, made=(*search.made, told.made), words_of=(*search.words_of, *told.words_of))
        read = self.read or bench.how.rerank
        if not told.texts:
            return _reordered(search, bench, search.query, read, self.keep)
        guide = form_query(f"{search.query.text} {told.texts[0]}"[:_LONGEST_GUIDE], bench.models.analyser)
        found = _reordered(search, bench, guide, read, self.keep)
        return replace(found, candidates=_scored_for_the_question(search, bench, found.candidates, read))


class ScoreFilter(Step):
    """Leaves out what the last reranking scored below a bound; what was not read goes too."""

    name: ClassVar[str] = "score_filter"
    phase: ClassVar[Phase] = "rerank"
    least: Annotated[float, Field(description="Least score that stays; MaxSim gives cosines.")] = 0.6
    fewest: Annotated[int, Field(ge=0, le=100, description="So many of the first stay in any case.")] = 1

    def run(self, search: Search, bench: Bench) -> Search:
        kept = [one for place, one in enumerate(search.candidates)
                if place < self.fewest or search.scores.get(one.chunk_id, float("-inf")) >= self.least]
        return replace(search, candidates=kept)


_LONGEST_GUIDE = 1000                   # characters of a question with its temporary answer


def _reordered(search: Search, bench: Bench, query: Query, read: int, keep: int | None) -> Search:
    found = rerank(bench.models.reranker, query, search.candidates, read, bench.how.engines)
    scores = {one.chunk_id: one.rerank_score for one in found[:read] if one.rerank_score is not None}
    return replace(search, candidates=found[:keep], scores=scores)


def _scored_for_the_question(search: Search, bench: Bench, found: list[Candidate], read: int) -> list[Candidate]:
    """In the same order, with the scores that they have for the question alone: those are what evaluators know."""
    texts = [model_input(c.passage.section, c.passage.text, c.passage.header) for c in found[:read]]
    scores = bench.models.reranker.scores([(search.query.text, text) for text in texts])
    scored = [replace(one, rerank_score=score) for one, score in zip(found, scores, strict=False)]
    return [*scored, *found[read:]]
