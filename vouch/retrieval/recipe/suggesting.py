"""Steps that search by other wordings and likely answers, and the rules that suggest them offline.

A language model suggests them, where one is set. Where none is, or it does
not reply, rules make them of the question and of passages that its readers
may see; whoever asks is told which it was.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from vouch.documents.chunk import plain
from vouch.documents.text.sentences import sentence_spans
from vouch.errors import BadInput, ModelDown
from vouch.ports.language import Suggester
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.hits import retrieve
from vouch.retrieval.question.query import form_query
from vouch.retrieval.recipe.step import Bench, Made, Phase, Search, Step
from vouch.values.candidate import Candidate, Statistics
from vouch.values.made_by import RULES
from vouch.values.question import Query

_WORD = re.compile(r"\w[\w'’.-]*\w|\w")
_FEEDBACK = 6                           # words of passages that are added to a question
_SENTENCES = 12                         # of a passage, at most
_LEAST_WORDS = 4                        # of a sentence that may be an answer


class Worded(NamedTuple):
    """`words_of`: passages that the texts have words of."""

    texts: list[str]
    words_of: tuple[Candidate, ...] = ()


def wordings(search: Search, bench: Bench, most: int, looked_at: int) -> Worded:
    """Its telling words alone, then the question with words that the best passages have and others lack, one set of
    words for each further wording."""
    terms, query = bench.models.analyser.terms, search.query
    statistics = bench.view.statistics(query.terms)
    words = [word for word in _WORD.findall(query.text) if terms(word)]
    texts = [" ".join(word for word in words if _telling(terms(word), statistics))]
    if most == 1:
        return Worded(texts)
    first = _first(query, bench, looked_at)
    ranked = _feedback(query, bench, first)
    for number in range(most - 1):
        some = ranked[number * _FEEDBACK : (number + 1) * _FEEDBACK]
        texts += [" ".join((query.text, *some))] if some else []
    return Worded(texts, tuple(first))


def nearest_sentences(
    query: Query, bench: Bench, among: Sequence[Candidate] | None, most: int, looked_at: int
) -> Worded:
    """The sentences that the reranker finds nearest to the question, of `among` or else of what is found first.

    At most one of a passage: several answers are to differ.
    """
    first = _first(query, bench, looked_at) if among is None else among[:looked_at]
    sentences = [(hit, plain(hit.passage.text[a:b]).strip()) for hit in first if not hit.passage.injection
                 for a, b in sentence_spans(hit.passage.text)[:_SENTENCES]]
    sentences = [(hit, text) for hit, text in sentences if len(text.split()) >= _LEAST_WORDS and not text.endswith("?")]
    scores = bench.models.reranker.scores([(query.text, text) for _, text in sentences])
    order = sorted(range(len(sentences)), key=lambda n: (-scores[n], n))
    best: dict[str, str] = {}
    for n in order:
        best.setdefault(sentences[n][0].chunk_id, sentences[n][1])
    return Worded(list(best.values())[:most], tuple(first))


def _first(query: Query, bench: Bench, most: int) -> list[Candidate]:
    """What is found for the question alone, without passages that read as orders to a language model."""
    hits = retrieve(bench.view, bench.models.encoder, query, most)
    found = fuse(bench.view, query, hits, ReciprocalRanks()).candidates
    return [one for one in found if not one.passage.injection][:most]


def _telling(terms: Sequence[str], statistics: Statistics) -> bool:
    """Whether one of the terms is in less than a third of the visible rows, and in one of them."""
    return any(0 < statistics.frequency.get(term, 0) * 3 < statistics.rows for term in terms)


def _feedback(query: Query, bench: Bench, first: Sequence[Candidate]) -> list[str]:
    """Words of the passages that the question lacks: in many of them and rare elsewhere first, ties by the word."""
    terms, asked = bench.models.analyser.terms, set(query.terms)
    spelled: dict[str, Counter[str]] = {}
    passage_counts: Counter[str] = Counter()
    for candidate in first:
        words = {term: word for word in _WORD.findall(plain(candidate.passage.text)) for term in terms(word)[:1]}
        passage_counts.update(words.keys() - asked)
        for term, word in words.items():
            spelled.setdefault(term, Counter())[word.lower()] += 1
    statistics = bench.view.statistics(sorted(passage_counts))

    def worth(term: str) -> float:
        rows = min(statistics.frequency.get(term, 0), statistics.rows)
        return passage_counts[term] * math.log(1 + (statistics.rows - rows + 0.5) / (rows + 0.5))

    ranked = sorted(passage_counts, key=lambda term: (-worth(term), term))
    return [min(spelled[term], key=lambda word: (-spelled[term][word], word)) for term in ranked]


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
    known = {search.query.text, *(other_query.text for other_query in search.beside)}
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
