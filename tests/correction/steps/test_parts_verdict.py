"""The verdict on all parts of a question, once further steps have looked for them."""

import pytest
from homes.small_world import passage

from vouch.correction.evaluation import Verdict, VerdictKind
from vouch.correction.steps.parts_verdict import verdict_of_parts
from vouch.correction.steps.trajectory import PartFound
from vouch.values.candidate import Candidate

LOWER, UPPER = 0.2, 0.6
SURE, MAYBE, NONE = 0.9, 0.4, 0.1


def kind(first: VerdictKind, *parts: float, rest: tuple[str, ...] = (), on_topic: bool = True) -> VerdictKind:
    wanted = [PartFound(f"part {n}", True, {"c": likely}, True) for n, likely in enumerate(parts)]
    before = Verdict(first, (MAYBE,), MAYBE, (LOWER, UPPER), "the best passage reaches 0.40", on_topic)
    return verdict_of_parts(before, wanted, [[Candidate(passage("x", chunk_id="c"), probability=MAYBE)]], rest).kind


@pytest.mark.parametrize(("parts", "expected"), [
    ((SURE, SURE), "correct"), ((SURE, NONE), "ambiguous"), ((MAYBE, MAYBE), "ambiguous"), ((NONE, NONE), "incorrect"),
    ((SURE,), "correct"), ((MAYBE,), "ambiguous"), ((NONE,), "incorrect"),
])
def test_correct_is_what_has_a_likely_passage_for_every_part(parts: tuple[float, ...], expected: str) -> None:
    assert kind("ambiguous", *parts) == expected


def test_what_the_first_search_settled_no_step_takes_back() -> None:
    """A question that is not taken apart is its own only part."""
    assert kind("correct", MAYBE) == kind("correct", NONE) == "correct"


def test_that_one_part_is_settled_says_nothing_of_the_others() -> None:
    assert kind("correct", SURE, NONE) == "ambiguous" and kind("correct", NONE, NONE) == "incorrect"


def test_with_parts_that_were_not_looked_for_it_is_never_correct() -> None:
    assert kind("ambiguous", SURE, rest=("and more",)) == kind("correct", MAYBE, rest=("and more",)) == "ambiguous"
    assert kind("ambiguous", NONE, rest=("and more",)) == "incorrect"


def test_a_question_in_one_part_that_seems_off_the_topic_stays_in_doubt() -> None:
    assert kind("ambiguous", SURE, on_topic=False) == "ambiguous"
    assert kind("incorrect", NONE, on_topic=False) == kind("incorrect", MAYBE, on_topic=False) == "incorrect"
    assert kind("incorrect", SURE, on_topic=False) == "ambiguous" == kind("ambiguous", MAYBE, on_topic=False)
    assert kind("incorrect", SURE, SURE, on_topic=False) == "correct"           # its parts are on one
