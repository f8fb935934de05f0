"""The recipes there are: for questions that ask for a fact, and for those that ask for a list."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vouch.answering.citations import Verified
from vouch.answering.listing import LeftOut, quote_each
from vouch.answering.nearest import quote_nearest
from vouch.answering.packing import distinct
from vouch.correction.components import Components
from vouch.correction.evaluation import Verdict
from vouch.correction.judging import JUDGED
from vouch.correction.listing import documents, left_out, whole
from vouch.correction.refinement import Refined, refine
from vouch.correction.strips import WINDOWS, Refinement
from vouch.errors import ModelDown
from vouch.ports.writer import QUOTED, Draft, Evidence
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.orders import without_orders
from vouch.retrieval.query import Query
from vouch.retrieval.ranking import BROAD, Ranking
from vouch.retrieval.recipe.step import Step

_FACTS = Ranking()
_LISTS = Ranking(top=1000, rerank=100)


@dataclass(frozen=True, slots=True)
class FactRecipe:
    """The few passages that bear most on the question, refined, in the writer's words."""

    ranking: Ranking = _FACTS
    places: int = 6                       # passages that are given to the writer
    evidence_tokens: int = 1200
    judged: int = JUDGED
    refinement: Refinement = WINDOWS
    name: str = ""                        # as answers tell it; empty: the default

    def choose(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], components: Components
    ) -> list[Refined]:
        passages = distinct(judged)[: self.places]
        tokens, count = self.evidence_tokens, components.count_tokens
        return refine(components.closeness, query.text, passages, tokens, count, self.refinement)

    def write(self, verdict: Verdict, query: Query, evidence: Sequence[Evidence], components: Components) -> Draft:
        """The writer's draft, or the fallback's with a warning that says why.

        Quotations that may not answer make room for those of the nearest passages, each with what stands around it.
        """
        only_quotes = components.writer is components.fallback
        if only_quotes and verdict.kind != "correct":
            return quote_nearest(components.closeness, query.text, evidence)
        draft = self._drafted(query, evidence, components)
        if draft.model != QUOTED or (draft.sentences and verdict.kind == "correct"):
            return draft
        nearest = quote_nearest(components.closeness, query.text, evidence)
        return replace(nearest, warnings=draft.warnings)

    def _drafted(self, query: Query, evidence: Sequence[Evidence], components: Components) -> Draft:
        try:
            return components.writer.write(query.text, evidence)
        except ModelDown as down:
            draft = components.fallback.write(query.text, evidence)
            return replace(draft, warnings=(*draft.warnings, f"quoted without the language model ({down.cause})"))

    def left_out(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], fused: Sequence[Candidate],
        verified: Verified, components: Components,
    ) -> LeftOut | None:  # fmt: skip
        return None


@dataclass(frozen=True, slots=True)
class ListRecipe:
    """One quotation of each document that has something to say. Never sent to a model, so tokens do not bound it."""

    depths: Ranking = _LISTS
    places: int = 20                      # documents that are listed
    evidence_tokens: int = sys.maxsize
    judged: int = 0                       # of a hundred passages: seconds
    steps: tuple[Step, ...] = BROAD
    name: str = ""

    @property
    def ranking(self) -> Ranking:
        return replace(self.depths, steps=self.steps)

    def choose(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], components: Components
    ) -> list[Refined]:
        return whole(documents(verdict, judged)[: self.places])

    def write(self, verdict: Verdict, query: Query, evidence: Sequence[Evidence], components: Components) -> Draft:
        return quote_each(components.closeness, query.text, evidence)

    def left_out(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], fused: Sequence[Candidate],
        verified: Verified, components: Components,
    ) -> LeftOut | None:  # fmt: skip
        there, _ = without_orders(fused, query.terms, components.analyser.terms, 0)
        return left_out(verdict, judged, len(there), verified)
