"""Steps that search for more than the question: other wordings of it, and answers that it may have.

A language model suggests them, where one is set. Where none is, or it does
not reply, rules make them of the question and of passages that its readers
may see; whoever asks is told which it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import Field

from vouch.errors import BadInput, ModelDown
from vouch.ports.suggester import Suggester
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import Query, form_query
from vouch.retrieval.recipe.rules import Worded, nearest_sentences, wordings
from vouch.retrieval.recipe.step import Bench, Made, Phase, Search, Step

RULES = "rules"
LOOKED_AT = 5                           # first passages that the rules take words from
LONGEST = 400                           # characters of what is suggested


@dataclass(frozen=True, slots=True)
class Told:
    made: Made
    texts: tuple[str, ...] = ()
    words_of: tuple[Candidate, ...] = ()


class Augment(Step):
    """Searches for other wordings of the question, too."""

    name: ClassVar[str] = "augment"
    phase: ClassVar[Phase] = "retrieve"
    queries: Annotated[int, Field(ge=1, le=8, description="Other wordings.")] = 2

    def run(self, search: Search, bench: Bench) -> Search:
        text, most = search.query.text, self.queries
        told = _suggested(self.name, bench, lambda model: model.queries(text, most),
                          lambda: wordings(search, bench, most, LOOKED_AT))
        return _beside(search, bench, told)


class Hypothesize(Step):
    """Searches for answers that the question may have, too: passages that answer it are worded like them."""

    name: ClassVar[str] = "hypothesize"
    phase: ClassVar[Phase] = "retrieve"
    answers: Annotated[int, Field(ge=1, le=8, description="Answers.")] = 2

    def run(self, search: Search, bench: Bench) -> Search:
        text, most = search.query.text, self.answers
        told = _suggested(self.name, bench, lambda model: model.hypotheses(text, most),
                          lambda: nearest_sentences(search.query, bench, None, most, LOOKED_AT))
        return _beside(search, bench, told)


def temporary_answer(search: Search, bench: Bench, first: Sequence[Candidate]) -> Told:
    """One that a later reranking is guided by. It is made from the `first`, which hold no orders to a model."""
    passages = [one.passage for one in first]

    def model(suggester: Suggester) -> list[str]:
        said = suggester.answer(search.query.text, passages) if passages else ""
        return [said] if said else []

    told = _suggested("guided_rerank", bench, model,
                      lambda: nearest_sentences(search.query, bench, first, 1, len(first)))
    return replace(told, words_of=tuple(first)) if told.texts else told


def _suggested(
    step: str, bench: Bench, model: Callable[[Suggester], list[str]], rules: Callable[[], Worded]
) -> Told:
    """By the language model, or else by the rules, with the reason."""
    suggester = bench.models.suggester
    why = "no language model is set"
    if suggester is not None:
        try:
            texts = _short(model(suggester))
            return Told(Made(step, suggester.name, texts), texts)
        except ModelDown as down:
            why = down.cause
    worded = rules()
    texts = _short(worded.texts)
    return Told(Made(step, f"{RULES} ({why})", texts), texts, worded.words_of)


def _beside(search: Search, bench: Bench, told: Told) -> Search:
    known = {search.query.text, *(one.text for one in search.beside)}
    fresh: list[Query] = []
    for text in told.texts:
        try:
            query = form_query(text, bench.models.analyser)
        except BadInput:                # nothing in it can be seen
            continue
        if query.text not in known:
            known.add(query.text)
            fresh.append(query)
    return replace(search, beside=(*search.beside, *fresh), made=(*search.made, told.made),
                   words_of=(*search.words_of, *told.words_of))


def _short(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text[:LONGEST] for text in texts if text.strip())
