"""Confidence rises with each part, stays within its bounds, and an ambiguous verdict keeps it low."""

import pytest
from homes.small_world import passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.confidence import HIGH_FROM, MEDIUM_FROM, Summed, add_up, agreement, assess, share_of
from vouch.values.candidate import Candidate

share = st.floats(0, 1)
LEVELS = ["low", "medium", "high"]


@given(share, share, share, share, st.integers(0, 2), st.booleans())
def test_it_rises_with_each_part(a: float, b: float, c: float, more: float, which: int, ambiguous: bool) -> None:
    parts = [a, b, c]
    raised = list(parts)
    raised[which] = max(raised[which], more)
    one, other = assess(*parts, ambiguous=ambiguous), assess(*raised, ambiguous=ambiguous)
    assert one.value <= other.value and LEVELS.index(one.level) <= LEVELS.index(other.level)
    assert 0 <= one.value <= 1 and one.value <= a + 1e-4


@given(share, share, share)
def test_levels_have_stated_bounds(a: float, b: float, c: float) -> None:
    sure, unsure = assess(a, b, c, ambiguous=False), assess(a, b, c, ambiguous=True)
    assert unsure.level == "low" and unsure.value <= sure.value
    if sure.level == "high":
        assert sure.value >= HIGH_FROM - 1e-4
    if sure.level == "low":
        assert sure.value <= MEDIUM_FROM


@given(share, share, share, share, share, share, st.booleans())
def test_the_sum_is_another_value_beside_the_same_parts(
    a: float, b: float, c: float, rerank: float, citations: float, facts: float, ambiguous: bool
) -> None:
    one = assess(a, b, c, ambiguous=ambiguous)
    summed = add_up(one, Summed(rerank, citations, facts), ambiguous=ambiguous)
    value = 0.5 * rerank + 0.3 * citations + 0.2 * facts
    assert (summed.evaluator, summed.support, summed.agreement) == (a, b, c)
    if ambiguous:
        assert summed.level == "low" and summed.value < MEDIUM_FROM
    else:
        assert summed.value == pytest.approx(value, abs=1e-4)
        assert summed.level == ("high" if value >= 0.7 else "medium" if value >= 0.4 else "low")


def test_scores_of_both_rerankers_are_shares() -> None:
    assert share_of(0.8, "maxsim") == 0.8 and share_of(-0.1, "maxsim") == 0.0
    assert share_of(0.0, "a cross-encoder") == 0.5 and share_of(1e6, "a cross-encoder") <= 1.0
    assert share_of(-3.0, "a cross-encoder") < share_of(3.0, "a cross-encoder")


def test_retrievers_agree_when_each_has_a_cited_passage_high() -> None:
    both = [Candidate(passage("x"), lexical_rank=3), Candidate(passage("y"), dense_rank=10)]
    assert agreement(both) == 1.0 and agreement(both[:1]) == 0.5
    assert agreement([Candidate(passage("x"), lexical_rank=11)]) == 0.0 and agreement([]) == 0.0
