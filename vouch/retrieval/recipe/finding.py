"""Steps that find: the engines' hits, one list out of them, and what stands beside the best."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from vouch.retrieval.fusion import RRF_K, Fused, fuse
from vouch.retrieval.hits import Hits, expand, lexical_hits, near, retrieve, spread
from vouch.retrieval.named_rows import named_first
from vouch.retrieval.recipe.filtering import narrowed
from vouch.retrieval.recipe.step import Bench, Depth, Made, Phase, Search, Step
from vouch.values.candidate import Candidate
from vouch.values.made_by import RULES
from vouch.values.question import Query

Most = Annotated[int, Field(ge=1, le=10_000)]


class Retrieve(Step):
    """The best rows of the engines for the question, and for all that is searched beside it."""

    name: ClassVar[str] = "retrieve"
    phase: ClassVar[Phase] = "retrieve"
    top: Annotated[Most | None, Field(description="Hits of each engine and wording; unset: as set for all.")] = None
    engine: Annotated[Literal["both", "words", "meaning"], Field(description="Which engines are asked.")] = "both"

    def depth(self) -> Depth:
        return Depth(top=self.top)

    def run(self, search: Search, bench: Bench) -> Search:
        top = self.top or bench.how.top
        return replace(search, hits=tuple(self._hits(bench, one, top) for one in (search.query, *search.beside)))

    def _hits(self, bench: Bench, query: Query, top: int) -> Hits:
        if self.engine == "words":
            return lexical_hits(bench.view, query, top)
        hits = retrieve(bench.view, bench.models.encoder, query, top)
        return Hits((), hits.dense) if self.engine == "meaning" else hits


class Near(Step):
    """Leaves hits out that are far from the best of either engine."""

    name: ClassVar[str] = "near"
    phase: ClassVar[Phase] = "retrieve"

    def run(self, search: Search, bench: Bench) -> Search:
        return replace(search, hits=tuple(map(near, search.hits)))


class Fuse(Step):
    """One list out of the engines' and out of all wordings', by reciprocal ranks or the learned fusion that serves."""

    name: ClassVar[str] = "fuse"
    phase: ClassVar[Phase] = "fuse"
    keep: Annotated[Most | None, Field(description="Candidates that stay; unset: all.")] = None

    def run(self, search: Search, bench: Bench) -> Search:
        asked = (search.query, *search.beside)
        lists = [fuse(bench.view, query, hits, bench.how.fusion)
                 for query, hits in zip(asked, search.hits, strict=True)]
        fused = lists[0].candidates if len(lists) == 1 else _joined(lists)
        if search.filters:
            fused, note = narrowed(fused, search.filters)
            search = replace(search, made=(*search.made, Made("filters", RULES, (note,))))
        fused = named_first(search.asked.text, fused)[: self.keep]
        return replace(search, fused=fused, fused_by=lists[0].by, pooled=fused)


class Expand(Step):
    """Draws in chunks that stand beside the best hits."""

    name: ClassVar[str] = "expand"
    phase: ClassVar[Phase] = "expand"

    def run(self, search: Search, bench: Bench) -> Search:
        return replace(search, pooled=expand(bench.view, search.pooled, bench.how.rerank))


class Spread(Step):
    """The best of every document before any document's second best."""

    name: ClassVar[str] = "spread"
    phase: ClassVar[Phase] = "expand"

    def run(self, search: Search, bench: Bench) -> Search:
        return replace(search, pooled=spread(search.pooled, bench.how.rerank))


def _joined(lists: Sequence[Fused]) -> list[Candidate]:
    """By the sum of reciprocal ranks in all lists, ties by chunk id. Scores and ranks of the engines are those for the
    first wording, and nobody's where that did not find it: those for other words would not compare."""
    first = {one.chunk_id: one for one in lists[0].candidates}
    known: dict[str, Candidate] = {}
    score: dict[str, float] = {}
    for fused in lists:
        for one in fused.candidates:
            known.setdefault(one.chunk_id, first.get(one.chunk_id) or Candidate(one.passage))
            score[one.chunk_id] = score.get(one.chunk_id, 0.0) + 1 / (RRF_K + one.fused_rank)
    ordered = sorted(score, key=lambda chunk_id: (-score[chunk_id], chunk_id))
    return [replace(known[one], fused_score=score[one], fused_rank=rank) for rank, one in enumerate(ordered, 1)]
