"""Refinement: what it keeps, and that its ranges stay true."""

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from small_world import passage

from vouch.correction.refinement import merge, refine, windows
from vouch.documents.sentences import sentence_spans
from vouch.retrieval.candidate import Candidate

sentence = st.sampled_from([
    "Cats sleep a lot.", "Dogs bark at night!", "Who knows?", "- an item of a list", "| a | b |", "# A heading", "\n",
    "Über uns.", "The rate is 3.5 % of pay.", "```", "x",
])
texts = st.lists(sentence, max_size=14).map("\n".join)


class WordCount:
    """Scores a passage by how often it says the question."""

    fingerprint = "count"

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [float(passage.count(question)) for question, passage in pairs]


def words(text: str) -> int:
    return len(text.split())


@given(texts)
def test_windows_cover_every_sentence_and_hold_two_or_three(text: str) -> None:
    spans, found = sentence_spans(text), windows(text)
    for start, end in spans:
        assert any(a <= start and end <= b for a, b in found)
    for a, b in found:
        held = [s for s in spans if a <= s[0] and s[1] <= b]
        assert (held[0][0], held[-1][1]) == (a, b)
        assert len(held) in (2, 3) or len(spans) == 1


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)).map(lambda p: (p[0], p[0] + p[1]))))
def test_merging_keeps_exactly_the_same_characters(spans: list[tuple[int, int]]) -> None:
    merged = merge(spans)
    assert {c for a, b in merged for c in range(a, b)} == {c for a, b in spans for c in range(a, b)}
    assert all(b < c for (_, b), (c, _) in itertools.pairwise(merged))


@given(st.lists(texts, max_size=5), st.integers(0, 60))
def test_strips_are_ordered_ranges_within_budget_and_the_best_passage_keeps_one(found: list[str], budget: int) -> None:
    candidates = [Candidate(passage(text, chunk_id=f"c{n}")) for n, text in enumerate(found)]
    refined = refine(WordCount(), "sleep", candidates, budget, words)
    order = [r.candidate.chunk_id for r in refined]
    assert order == sorted(order)
    spent = 0
    for one in refined:
        text = one.candidate.passage.text
        assert one.strips == merge(one.strips) and all(0 <= a < b <= len(text) for a, b in one.strips)
        spent += sum(words(text[a:b]) for a, b in one.strips)
    with_words = [c.chunk_id for c in candidates if windows(c.passage.text)]
    assert order[:1] == with_words[:1]
    largest = max((words(t[a:b]) for t in found for a, b in windows(t)), default=0)
    assert spent <= max(budget, largest)


def test_what_bears_on_the_question_stays_and_the_rest_goes() -> None:
    text = " ".join(f"Filler number {n} says nothing." for n in range(8)) + " Cats sleep. They sleep all day."
    [one] = refine(WordCount(), "sleep", [Candidate(passage(text))], 100, words)
    [(start, end)] = one.strips
    assert "Cats sleep. They sleep all day." in text[start:end] and "number 2" not in text[start:end]


class Given:
    """A score for each window, in their order."""

    fingerprint = "given"

    def __init__(self, *scores: float) -> None:
        self._scores = list(scores)

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        assert len(pairs) == len(self._scores)
        return self._scores


def test_a_window_half_a_deviation_below_the_mean_is_kept_and_one_below_that_goes() -> None:
    """Scores 1, .6 and .1: mean .567, deviation .368, so the bound is .383."""
    candidates = [Candidate(passage(f"Words of {one}.", chunk_id=one)) for one in "abc"]
    kept = refine(Given(1.0, 0.6, 0.1), "words", candidates, 100, words)
    assert [r.candidate.chunk_id for r in kept] == ["a", "b"]
    kept = refine(Given(1.0, 0.39, 0.31), "words", candidates, 100, words)
    assert [r.candidate.chunk_id for r in kept] == ["a"], "mean .567, deviation .307: the bound is .413"
