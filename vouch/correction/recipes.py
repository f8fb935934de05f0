"""Each QuestionKind there is: for questions that ask for a fact, and for those that ask for a list."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vouch.answering.copies import by_kept_ids, distinct
from vouch.answering.quoting.listing import LeftOut, quote_each
from vouch.answering.quoting.nearest import quote_nearest
from vouch.answering.quoting.quotable import quotations_read
from vouch.answering.refinement import NOTHING, WINDOWS, Refined, Refinement, refine, strips_read
from vouch.answering.verification.citations import Verified
from vouch.correction.components import Components
from vouch.correction.evaluation import Verdict
from vouch.correction.judging import JUDGED
from vouch.errors import ModelDown
from vouch.ports.language import QUOTED, Draft, Evidence
from vouch.ports.models import Foresees
from vouch.retrieval.injections import without_orders
from vouch.retrieval.ranking import BROAD, Ranking
from vouch.retrieval.recipe.step import Step
from vouch.values.candidate import Candidate, Passage
from vouch.values.question import Query

PASSAGES = 3                            # of one document, to quote one sentence from


def documents(verdict: Verdict, judged: Sequence[Candidate]) -> list[list[Candidate]]:
    """Every document with a passage at or above the lower threshold: its likeliest few, the likeliest document first.

    Ties are ordered by place and chunk id, so that the order is the same every time.
    """
    lower, _ = verdict.thresholds
    found: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in sorted(judged, key=lambda c: (-_likely(c), *_document(c), c.chunk_id)):
        if _likely(candidate) >= lower:
            found.setdefault(_document(candidate), []).append(candidate)
    return [passages[:PASSAGES] for passages in found.values()]


def whole(groups: Sequence[Sequence[Candidate]]) -> list[Refined]:
    """The passages with all their words, for a writer that chooses one quotation of each document."""
    return [Refined(c, ((0, len(c.passage.text)),)) for group in groups for c in group]


def left_out(verdict: Verdict, judged: Sequence[Candidate], near: int, verified: Verified) -> LeftOut:
    """What passed and is not in the answer. `near` is how many passages there were to judge."""
    shown = {(c.passage.source, c.passage.path) for c in verified.citations}
    more = [best for best, *_ in documents(verdict, judged) if _document(best) not in shown]
    return LeftOut(tuple(more), near - len(judged))


def _document(candidate: Candidate) -> tuple[str, str]:
    return candidate.passage.source, candidate.passage.path


def _likely(candidate: Candidate) -> float:
    return candidate.probability or 0.0


_FACTS = Ranking()
_LISTS = Ranking(top=1000, rerank=100)


@dataclass(frozen=True, slots=True)
class FactQuestions:
    """The few passages that bear most on the question, refined, in the writer's words."""

    ranking: Ranking = _FACTS
    places: int = 6                       # passages that are given to the writer
    evidence_tokens: int = 1200
    judged: int = JUDGED
    refinement: Refinement = WINDOWS
    name: str = ""                        # as answers tell it; empty: the default

    def choose(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], components: Components,
        found_by: Mapping[str, str] = NOTHING, room: int = 0,
    ) -> list[Refined]:  # fmt: skip
        passages = distinct(judged)[: self.places + room]
        found_by = by_kept_ids(found_by, judged, passages)
        tokens, count = self.evidence_tokens, components.count_tokens
        self._foresee(verdict, [one.passage for one in passages], components)
        return refine(components.closeness, query.text, passages, tokens, count, self.refinement, found_by)

    def _foresee(self, verdict: Verdict, passages: Sequence[Passage], components: Components) -> None:
        """What the strips and, where nothing else writes, the quotations will be scored by is read at once: passes of
        the encoder that are nearly empty take as long as full ones."""
        if not isinstance(components.closeness, Foresees):
            return
        sure, quotes = verdict.kind == "correct", components.writer is components.fallback
        likely = quotations_read(passages, alone=sure) if quotes else ()
        components.closeness.foresee(strips_read(passages, self.refinement), likely)

    def write(self, verdict: Verdict, query: Query, evidence: Sequence[Evidence], components: Components) -> Draft:
        """The writer's draft, or the fallback's with a warning that says why.

        Quotations that may not answer make room for those of the nearest passages, each with what stands around it.
        """
        only_quotes = components.writer is components.fallback
        if only_quotes and verdict.kind != "correct":
            return quote_nearest(components.closeness, query.text, evidence, components.analyser.terms)
        draft = self._drafted(query, evidence, components)
        if draft.model != QUOTED or (draft.sentences and verdict.kind == "correct"):
            return draft
        nearest = quote_nearest(components.closeness, query.text, evidence, components.analyser.terms)
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
class ListQuestions:
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
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], components: Components,
        found_by: Mapping[str, str] = NOTHING, room: int = 0,
    ) -> list[Refined]:  # fmt: skip
        return whole(documents(verdict, judged)[: self.places])

    def write(self, verdict: Verdict, query: Query, evidence: Sequence[Evidence], components: Components) -> Draft:
        return quote_each(components.closeness, query.text, evidence)

    def left_out(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], fused: Sequence[Candidate],
        verified: Verified, components: Components,
    ) -> LeftOut | None:  # fmt: skip
        there, _ = without_orders(fused, 0)
        return left_out(verdict, judged, len(there), verified)
