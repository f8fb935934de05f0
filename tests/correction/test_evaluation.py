"""The verdict: one candidate above a threshold decides, and nonsense is an error, not a decline."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.correction.evaluation import FAR, Verdict, VerdictKind, judge
from vouch.errors import ModelDown
from vouch.learning.collections.collection import text_passage
from vouch.values.candidate import Candidate


@dataclass
class Fixed:
    """An evaluator that says what a test wants."""

    said: Sequence[float]
    thresholds: tuple[float, float] = (0.3, 0.6)
    fingerprint: str = "fixed"
    judged_with: str = ""

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        return list(self.said)


def some(count: int) -> list[Candidate]:
    return [Candidate(text_passage(n, "", "text")) for n in range(count)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 1), st.floats(0, 1))
def test_the_best_candidate_decides(scores: list[float], a: float, b: float) -> None:
    lower, upper = sorted((a, b))
    verdict, judged = judge(Fixed(scores, (lower, upper)), "q", some(len(scores)))
    any_upper, any_lower = any(s >= upper for s in scores), any(s >= lower for s in scores)
    assert verdict.kind == ("correct" if any_upper else "ambiguous" if any_lower else "incorrect")
    assert [c.probability for c in judged] == scores == list(verdict.scores)
    assert verdict.best == max(scores) and verdict.thresholds == (lower, upper)


def test_no_candidates_are_incorrect_with_a_reason_of_their_own() -> None:
    verdict, judged = judge(Fixed([]), "q", [])
    assert (verdict.kind, verdict.best, verdict.scores, judged) == ("incorrect", None, (), [])
    assert "no passage was found" in verdict.reason
    assert "no passage was found" not in judge(Fixed([0.1]), "q", some(1))[0].reason


def test_the_reason_tells_the_probability_and_how_much_is_enough() -> None:
    verdict, _ = judge(Fixed([0.91, 0.2], (0.2, 0.48)), "q", some(2))
    assert verdict.reason == "the best passage has probability 0.91; 0.48 is enough"


@pytest.mark.parametrize("said", [[float("nan")], [1.5], [-0.1], [], [0.5, 0.5]])
def test_numbers_that_are_no_probabilities_are_a_failure(said: list[float]) -> None:
    with pytest.raises(ModelDown):
        judge(Fixed(said), "q", some(1))


@pytest.mark.parametrize(("best", "told"), [
    (0.6179, "0.618, between 0.174 and 0.620"), (0.1738, "only 0.1738, less than 0.1740"), (0.4, "0.40, between 0.17"),
    (0.62, "has probability 0.62; 0.62 is enough"),
])
def test_a_reason_has_the_digits_that_tell_its_numbers_apart(best: float, told: str) -> None:
    assert f" {told}" in judge(Fixed([best], (0.174, 0.62)), "q", some(1))[0].reason


@pytest.mark.parametrize(("kind", "best", "after"), [
    ("correct", 0.9, "ambiguous"), ("ambiguous", 0.5, "ambiguous"), ("ambiguous", FAR * 0.6 - 0.01, "incorrect"),
    ("incorrect", 0.05, "incorrect"), ("incorrect", FAR * 0.6 + 0.01, "incorrect"), ("incorrect", None, "incorrect"),
])
def test_what_seems_off_the_topic_is_never_certain_and_shown_only_if_likely_enough(
    kind: VerdictKind, best: float | None, after: str
) -> None:
    verdict = Verdict(kind, (), best, (0.1, 0.6), "why").off_topic("of something else")
    assert (verdict.kind, verdict.has_nearest) == (after, False) and "of something else" in verdict.reason
    assert verdict.best == best and verdict.thresholds == (0.1, 0.6)
