"""Steps that choose among what was found: inside a topic, the best documents first, or what differs from the rest."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import fsum, sqrt
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from vouch.retrieval.recipe.finding import Most
from vouch.retrieval.recipe.step import Bench, Phase, Search, Step
from vouch.values.candidate import Candidate, Passage

Place = tuple[str, ...]
_BEST = 3                               # passages of a document that speak for it


class Topic(Step):
    """Inside the document, or the source, that the question is about; topped up from others where it holds too little.

    It is the one whose title has most of the question's words, and no other
    words; if there is none, the one whose passages were found best.
    """

    name: ClassVar[str] = "topic"
    phase: ClassVar[Phase] = "expand"
    scope: Annotated[Literal["document", "source"], Field(description="What is kept inside of.")] = "document"
    least: Annotated[Most, Field(description="Candidates in all; others follow where the topic holds fewer.")] = 20

    def run(self, search: Search, bench: Bench) -> Search:
        if not search.pooled:
            return search
        topic = self._topic(search, bench)
        inside = [one for one in search.pooled if self._place(one.passage) == topic]
        others = [one for one in search.pooled if self._place(one.passage) != topic]
        return replace(search, pooled=[*inside, *others[: max(self.least - len(inside), 0)]])

    def _topic(self, search: Search, bench: Bench) -> Place:
        asked = set(search.query.terms)
        titles = {self._place(one.passage): frozenset(bench.models.analyser.terms(
            one.passage.title if self.scope == "document" else one.passage.source)) for one in search.pooled}
        named = {place: terms for place, terms in titles.items() if terms and terms <= asked}
        best = best_places(search.pooled, self._place)
        return max(named or best, key=lambda place: (len(named.get(place, ())), -best.index(place)))

    def _place(self, passage: Passage) -> Place:
        return passage.document if self.scope == "document" else (passage.source,)


class Documents(Step):
    """Documents first: only the passages of the best few of them stay, in their order."""

    name: ClassVar[str] = "documents"
    phase: ClassVar[Phase] = "expand"
    best: Annotated[int, Field(ge=1, le=100, description="Documents that stay.")] = 3

    def run(self, search: Search, bench: Bench) -> Search:
        kept = set(best_places(search.pooled, lambda passage: passage.document)[: self.best])
        return replace(search, pooled=[one for one in search.pooled if one.passage.document in kept])


class Diversify(Step):
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): each next passage is relevant, and unlike those
    before it. Likeness is the cosine of the passages' terms."""

    name: ClassVar[str] = "diversify"
    phase: ClassVar[Phase] = "rerank"
    weight: Annotated[float, Field(ge=0, le=1, description="Of relevance, against being unlike others.")] = 0.7
    read: Annotated[Most | None, Field(description="Candidates that may move; unset: as many as are read.")] = None
    keep: Annotated[Most | None, Field(description="Candidates that stay; unset: all.")] = None

    def run(self, search: Search, bench: Bench) -> Search:
        read = self.read or bench.how.rerank
        pool = search.candidates[:read]
        terms = [Counter(bench.models.analyser.terms(one.passage.text)) for one in pool]
        order = _marginal(_relevance(pool, search), terms, self.weight)
        found = [pool[n] for n in order] + search.candidates[read:]
        return replace(search, candidates=found[: self.keep])


def best_places(candidates: Sequence[Candidate], place: Callable[[Passage], Place]) -> list[Place]:
    """By the reciprocal ranks of the best three candidates of each, ties by their names."""
    ranks: dict[Place, list[float]] = defaultdict(list)
    for rank, one in enumerate(candidates, 1):
        ranks[place(one.passage)].append(1 / rank)
    return sorted(ranks, key=lambda name: (-fsum(ranks[name][:_BEST]), name))


def _relevance(pool: Sequence[Candidate], search: Search) -> list[float]:
    """From 0 to 1 by place: scores of rerankers are on scales of their own, and joined with those of the engines."""
    return [1 - place / len(pool) for place in range(len(pool))]


def _marginal(relevance: Sequence[float], terms: Sequence[Counter[str]], weight: float) -> list[int]:
    left, chosen, likest = list(range(len(terms))), list[int](), [0.0] * len(terms)
    while left:
        best = max(left, key=lambda n: (weight * relevance[n] - (1 - weight) * likest[n], -n))
        left.remove(best)
        chosen.append(best)
        for n in left:
            likest[n] = max(likest[n], _cosine(terms[n], terms[best]))
    return chosen


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    both = sum(count * other[term] for term, count in one.items())
    return both / sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values())) if both else 0.0
