"""What would settle a question of one code and speaks of another is shown in doubt."""

from collections.abc import Sequence

import pytest
from homes.small_world import CoverageEvaluator, passage, small_world

from vouch.correction.codes import codes_in, names
from vouch.correction.loop import answer_question
from vouch.values.candidate import Candidate


@pytest.mark.parametrize(("question", "codes"), [
    ("What is SEV4, and who owns LT-1234?", ["SEV4", "LT-1234"]),
    ("When does team 3-3 meet?", ["3-3"]), ("When does Team 12 meet?", []),
    ("Is on call 9-5, and does it take 6-7 months?", []), ("the 18F guides of 2024, a 40 min limit, my 401k", []),
    ("FY25 or covid-19", ["FY25", "covid-19"]), ("", []),
])
def test_codes_are_letters_with_a_number_or_numbers_of_something_numbered(question: str, codes: list[str]) -> None:
    assert codes_in(question) == codes


@pytest.mark.parametrize(("code", "text", "held"), [
    ("SEV4", "A Sev-4 waits.", True), ("SEV4", "Of sev 4:", True), ("SEV4", "A SEV3 pages, 4 do not.", False),
    ("LT-1234", "| LT1234 | Ana |", True), ("LT-1234", "| LT-1235 | Ana |", False),
    ("SEV4", "A SEV4-level outage, see sev4_steps.md.", True), ("FY25", "See fy25-dates.md.", True),
    ("SEV4", "A SEV44 one.", False), ("3-3", "Team-3-3 meets.", True), ("3-3", "Teams 13-3 and 2-3-3 meet.", False),
    ("3-3", "Team 3-3 meets.", True), ("3-3", "Team 3-0 meets 3 of 3 times, at 33.", False),
])
def test_a_code_is_named_however_it_is_written(code: str, text: str, held: bool) -> None:
    assert names(passage(text), code) is held
    assert names(passage("Nothing.", title=text), code) is held


class Sure(CoverageEvaluator):
    fingerprint = "sure"

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        return [1.0 for _ in candidates]


def test_another_code_settles_nothing() -> None:
    world = small_world([passage("Team 3-0 meets on Monday at nine in the blue room.")], evaluator=Sure())
    for asked, action in (("When does team 3-0 meet on Monday?", "answered"),
                          ("When does team 3-3 meet on Monday?", "answered_with_caution")):
        answer = answer_question(world.ask(asked), world.components).answer
        assert answer.action == action, asked
    assert answer.verdict is not None and "does not name 3-3" in answer.verdict.reason
