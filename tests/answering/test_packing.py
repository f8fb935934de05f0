"""Packing: numbers, order and budget."""

from collections.abc import Sequence
from typing import Any

import pytest
from homes.small_world import passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.packing import FEWEST, FRAME_TOKENS, Order, Packing, heading, pack
from vouch.answering.refinement import Refined
from vouch.ports.language import Evidence
from vouch.values.candidate import Candidate


def words(text: str) -> int:
    return len(text.split())


def refined(n: int, lengths: list[int]) -> Refined:
    strips, text = [], ""
    for length in lengths:
        start = len(text)
        text += "word " * length
        strips.append((start, len(text) - 1))
        text += "cut. "
    return Refined(Candidate(passage(text, chunk_id=f"c{n}"), probability=0.5), tuple(strips))


@given(st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=4), max_size=6), st.integers(0, 120))
def test_evidence_is_numbered_in_order_and_within_budget(passages: list[list[int]], budget: int) -> None:
    given_ = [refined(n, lengths) for n, lengths in enumerate(passages)]
    packed = pack(given_, budget, words)
    assert [one.number for one in packed] == list(range(1, len(packed) + 1))
    ids = [one.passage.chunk_id for one in packed]
    assert ids == sorted(ids)
    strips = {r.candidate.chunk_id: r.strips for r in given_}
    for one in packed:
        assert one.strips and one.strips == strips[one.passage.chunk_id][: len(one.strips)]
    spent = sum(
        FRAME_TOKENS + words(heading(e.passage)) + sum(words(e.passage.text[a:b]) for a, b in e.strips) for e in packed
    )
    assert spent <= budget or sum(len(e.strips) for e in packed) == 1
    assert bool(packed) == bool(passages)


def test_a_heading_does_not_repeat_the_title() -> None:
    assert heading(passage("x", title="Leave", section=("Leave", "Sick"))) == "Leave > Sick"
    assert heading(passage("x", title="", section=())) == ""


def cost(packed: Sequence[Evidence]) -> int:
    return sum(FRAME_TOKENS + words(heading(e.passage)) + sum(words(e.passage.text[a:b]) for a, b in e.strips)
               for e in packed)


hows = st.builds(Packing, st.integers(0, 20), st.sampled_from(["cut", "adaptive"]), st.booleans(),
                 st.sampled_from(["relevance", "document", "edges"]))


@given(st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=4), max_size=8), st.integers(0, 200), hows)
def test_whatever_is_chosen_numbers_count_up_and_the_budget_holds(
    passages: list[list[int]], budget: int, how: Packing
) -> None:
    given_ = [refined(n, lengths) for n, lengths in enumerate(passages)]
    packed = pack(given_, budget, words, how)
    assert [one.number for one in packed] == list(range(1, len(packed) + 1))
    strips = {r.candidate.chunk_id: r.strips for r in given_}
    assert all(one.strips and set(one.strips) <= set(strips[one.passage.chunk_id]) for one in packed)
    assert all(list(one.strips) == sorted(one.strips) for one in packed)
    assert cost(packed) <= budget or sum(len(e.strips) for e in packed) == 1
    assert bool(packed) == bool(passages)


def ids(packed: Sequence[Evidence]) -> list[str]:
    return [one.passage.chunk_id for one in packed]


def one_strip(name: str, text: str = "word " * 10, **more: Any) -> Refined:
    return Refined(Candidate(passage(text, chunk_id=name, **more)), ((0, len(text)),))


def test_a_passage_takes_no_more_than_its_share() -> None:
    packed = pack([refined(0, [10, 10, 10]), refined(1, [30, 5])], 1000, words, Packing(most=20))
    assert [len(one.strips) for one in packed] == [2, 1]


def test_adaptive_packing_leaves_out_passages_before_it_shortens_any() -> None:
    given_ = [refined(n, [10, 10]) for n in range(6)]
    each = cost(pack(given_[:1], 1000, words))
    adaptive = Packing(shorten="adaptive")
    assert [len(one.strips) for one in pack(given_, 4 * each, words, adaptive)] == [2, 2, 2, 2]
    assert [len(one.strips) for one in pack(given_, FEWEST * each - 1, words, adaptive)] == [2, 2, 1]
    assert [len(one.strips) for one in pack(given_, FEWEST * each - 25, words, adaptive)] == [1, 1, 1]
    assert ids(pack(given_, each, words, adaptive)) == ["c0"]


@pytest.mark.parametrize("dear", ["| Kind | Rate |\n|---|---|\n| Day | 75 % |\n", "> Parents get 12 weeks.\n"])
def test_tables_and_quotations_go_last(dear: str) -> None:
    plain = "word " * 10
    both = Refined(Candidate(passage(dear + plain, chunk_id="t")), ((0, len(dear)), (len(dear), len(dear + plain))))
    given_ = [one_strip("a"), one_strip("b"), one_strip("c"), both]
    packed = pack(given_, cost(pack(given_, 1000, words)) - 1, words, Packing(shorten="adaptive"))
    assert ids(packed) == ["a", "b", "t"] and len(packed[-1].strips) == 2           # a passage without one went first
    shorter = pack([both], cost(packed[-1:]) - 1, words, Packing(shorten="adaptive"))
    assert shorter[0].strips == ((0, len(dear)),)


@pytest.mark.parametrize(("order", "wanted"), [
    ("relevance", ["a9", "b1", "a2", "c1", "b0"]), ("document", ["a2", "a9", "b0", "b1", "c1"]),
    ("edges", ["a9", "a2", "b0", "c1", "b1"]),
])
def test_the_best_are_kept_and_then_put_in_order(order: Order, wanted: list[str]) -> None:
    given_ = [one_strip(name, path=name[0], start=int(name[1]) * 100) for name in ("a9", "b1", "a2", "c1", "b0", "z0")]
    budget = cost(pack(given_[:5], 1000, words))
    packed = pack(given_, budget, words, Packing(order=order))
    assert ids(packed) == wanted and [one.number for one in packed] == [1, 2, 3, 4, 5]


def test_a_section_stands_together_and_gives_shared_words_once() -> None:
    text = "First part. Shared part. Last part."
    early = passage(text[:24], chunk_id="early", section=("Leave",), start=0, end=24)
    late = passage(text[12:], chunk_id="late", section=("Leave",), start=12, end=35)
    other = passage("Other.", chunk_id="other", section=("Pay",), start=900, end=906)
    given_ = [Refined(Candidate(late), ((0, 12), (13, 23))), Refined(Candidate(other), ((0, 6),)),
              Refined(Candidate(early), ((0, 11), (12, 24)))]
    packed = pack(given_, 1000, words, Packing(merge=True))
    assert ids(packed) == ["early", "late", "other"]
    assert [[one.passage.text[a:b] for a, b in one.strips] for one in packed] == [
        ["First part.", "Shared part."], ["Last part."], ["Other."]]
    assert ids(pack(given_, 1000, words)) == ["late", "other", "early"]
