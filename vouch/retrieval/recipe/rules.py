"""What stands in for a language model: words and sentences of the question and of passages that its readers may see."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vouch.documents.chunk import plain
from vouch.documents.sentences import sentence_spans
from vouch.retrieval.candidate import Candidate, Statistics
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.query import Query
from vouch.retrieval.recipe.step import Bench, Search
from vouch.retrieval.retrieve import retrieve

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
    told = [" ".join(word for word in words if _telling(terms(word), statistics))]
    if most == 1:
        return Worded(told)
    first = _first(query, bench, looked_at)
    ranked = _feedback(query, bench, first)
    for number in range(most - 1):
        some = ranked[number * _FEEDBACK : (number + 1) * _FEEDBACK]
        told += [" ".join((query.text, *some))] if some else []
    return Worded(told, tuple(first))


def nearest_sentences(
    query: Query, bench: Bench, among: Sequence[Candidate] | None, most: int, looked_at: int
) -> Worded:
    """The sentences that the reranker finds nearest to the question, of `among` or else of what is found first.

    At most one of a passage: several answers are to differ.
    """
    first = _first(query, bench, looked_at) if among is None else among[:looked_at]
    found = [(one, plain(one.passage.text[a:b]).strip()) for one in first if not one.passage.injection
             for a, b in sentence_spans(one.passage.text)[:_SENTENCES]]
    found = [(one, text) for one, text in found if len(text.split()) >= _LEAST_WORDS and not text.endswith("?")]
    scores = bench.models.reranker.scores([(query.text, text) for _, text in found])
    order = sorted(range(len(found)), key=lambda n: (-scores[n], n))
    best: dict[str, str] = {}
    for n in order:
        best.setdefault(found[n][0].chunk_id, found[n][1])
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
    held: Counter[str] = Counter()
    for one in first:
        words = {term: word for word in _WORD.findall(plain(one.passage.text)) for term in terms(word)[:1]}
        held.update(words.keys() - asked)
        for term, word in words.items():
            spelled.setdefault(term, Counter())[word.lower()] += 1
    statistics = bench.view.statistics(sorted(held))

    def worth(term: str) -> float:
        rows = min(statistics.frequency.get(term, 0), statistics.rows)
        return held[term] * math.log(1 + (statistics.rows - rows + 0.5) / (rows + 0.5))

    ranked = sorted(held, key=lambda term: (-worth(term), term))
    return [min(spelled[term], key=lambda word: (-spelled[term][word], word)) for term in ranked]
