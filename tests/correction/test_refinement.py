"""Refinement: what it keeps, and that its ranges stay true."""

import itertools
import re
from collections.abc import Sequence

from homes.small_world import passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.refinement import (
    FEWEST,
    FRAGMENT,
    TAIL,
    WORDS,
    Mode,
    excerption,
    fixed_num,
    merge,
    refine,
    refinement,
    selection,
    windows,
)
from vouch.documents.text.sentences import sentence_spans
from vouch.values.candidate import Candidate

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


@given(texts)
def test_a_selection_is_the_whole_text(text: str) -> None:
    assert [text[a:b] for a, b in selection(text)] == ([text.strip()] if any(map(str.isalnum, text)) else [])


@given(st.lists(st.sampled_from(["a", "bb.", "- c", "|", "\n\n"]), max_size=190))
def test_strips_of_fixed_length_hold_fifty_words_in_a_row_and_the_tail_is_no_stump(found: list[str]) -> None:
    text = " ".join(found)
    strips = fixed_num(text)
    lengths = [words(text[a:b]) for a, b in strips]
    assert [word for a, b in strips for word in text[a:b].split()] == text.split()
    assert all(length == WORDS for length in lengths[:-1])
    assert all(TAIL <= length < WORDS + TAIL for length in lengths[-1:]) or len(text.split()) < TAIL


@given(texts)
def test_excerpts_cover_every_sentence_once_and_hold_three_whole_ones(text: str) -> None:
    strips, spans = excerption(text), sentence_spans(text)
    for start, end in spans:
        assert sum(a <= start and end <= b for a, b in strips) == 1
    held = [[s for s in spans if a <= s[0] and s[1] <= b] for a, b in strips]
    assert all((group[0][0], group[-1][1]) == strip for group, strip in zip(held, strips, strict=True))
    for group in held:
        whole = [s for s in group if words(text[slice(*s)]) > FRAGMENT]
        assert len(whole) <= 3
    assert all(len(group) >= 3 for group in held[:-1])


@given(st.lists(texts, max_size=4), st.sampled_from(["windows", "selection", "fixed_num", "excerption"]),
       st.integers(0, 3), st.sampled_from([None, 1.0]))
def test_of_each_mode_every_strip_stands_at_its_place_within_number_and_floor(
    found: list[str], mode: Mode, most: int, floor: float | None
) -> None:
    how = refinement(mode, most, floor)
    cuts = [how.cut(text) for text in found]
    for text, strips in zip(found, cuts, strict=True):
        assert all(0 <= a < b <= len(text) and text[a:b] == text[a:b].strip() for a, b in strips)
        assert all(words(text[a:b]) >= FEWEST for a, b in strips) or len(strips) == 1
    candidates = [Candidate(passage(text, chunk_id=f"c{n}")) for n, text in enumerate(found)]
    refined = refine(WordCount(), "sleep", candidates, 10_000, words, how)
    order = [r.candidate.chunk_id for r in refined]
    assert order == sorted(order)
    texts_kept = [one.candidate.passage.text[a:b] for one in refined for a, b in one.strips]
    assert not how.most or len(texts_kept) <= how.most
    assert floor is None or sum("sleep" not in text for text in texts_kept) <= 1
    first = next((n for n, strips in enumerate(cuts) if strips), None)
    assert order[:1] == ([f"c{first}"] if first is not None else [])


def test_a_mode_scores_all_strips_of_all_passages_at_once() -> None:
    class Once(WordCount):
        calls = 0

        def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            self.calls += 1
            return super().scores(pairs)

    for mode in ("windows", "selection", "fixed_num", "excerption"):
        once = Once()
        refine(once, "cats", [Candidate(passage("Cats sleep a lot. " * 9, chunk_id=c)) for c in "ab"], 500, words,
               refinement(mode))
        assert once.calls == 1


def test_only_the_best_strips_stay_in_the_order_of_the_text() -> None:
    text = " ".join(f"sleep{'' if n in (60, 130) else 'less'} {n} and{n}." for n in range(200))
    text = re.sub("sleepless", "word", text)
    [one] = refine(WordCount(), "sleep", [Candidate(passage(text))], 1000, words, refinement("fixed_num", 2))
    kept = [text[a:b] for a, b in one.strips]
    assert [("sleep 60" in words_, "sleep 130" in words_) for words_ in kept] == [(True, False), (False, True)]


def test_neighboring_strips_are_one_range_again() -> None:
    text = "Cats sleep a lot today. " * 24
    [one] = refine(WordCount(), "sleep", [Candidate(passage(text))], 1000, words, refinement("fixed_num"))
    assert one.strips == ((0, len(text) - 1),)


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


class ByWords:
    """The share of the first text's words that the second holds, and what was asked for."""

    fingerprint = "by words"

    def __init__(self) -> None:
        self.asked = list[str]()

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.asked += [words for words, _ in pairs]
        return [sum(word in text for word in words.split()) / len(words.split()) for words, text in pairs]


def test_what_a_step_brought_keeps_the_strip_nearest_to_the_words_it_was_found_by() -> None:
    """By the question's words none of it would be kept; without them all is as it was."""
    far = "Tea is drunk. Rain falls. Then it stops. Owls hunt mice. They fly low. Nobody hears them."
    candidates = [Candidate(passage("Cats sleep a lot.", chunk_id="a")), Candidate(passage(far, chunk_id="b"))]
    plain, told = ByWords(), ByWords()
    assert [r.candidate.chunk_id for r in refine(plain, "Cats sleep", candidates, 100, words)] == ["a"]
    kept = refine(told, "Cats sleep", candidates, 100, words, found_by={"b": "Owls hunt", "gone": "Cats"})
    assert [r.candidate.chunk_id for r in kept] == ["a", "b"]
    assert [far[start:end] for start, end in kept[1].strips] == ["Then it stops. Owls hunt mice. They fly low."]
    assert set(plain.asked) == {"Cats sleep"} and set(told.asked) == {"Cats sleep", "Owls hunt"}
