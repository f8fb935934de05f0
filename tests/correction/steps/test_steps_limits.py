"""Which questions take steps, how much of what a tool finds is read, and web searches that never come back."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from fakes.noted_web import web_passage
from homes.small_world import OPEN, CoverageEvaluator, handbook, passage, small_world

from vouch.correction.components import Outside
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import written
from vouch.correction.steps import further
from vouch.correction.steps.tools import TOOLS, ToolFound
from vouch.ports.language import Situation
from vouch.ports.web import Found, WebPlanner, WebSituation
from vouch.values.candidate import Candidate

CHAIN = "Who leads the company that makes the Zephyr engine?"
MADE = web_passage("The Zephyr engine is made by Aurora Works of Riga.", "zephyr", "Zephyr engine")


class Once:
    """Orders one search and ends."""

    name = "once"

    def next_step(self, situation: Situation, problem: str = "") -> str:
        return written(None, {}, "") if situation.calls else written("rag", {"query": "badge"}, "")


def test_a_list_takes_no_step() -> None:
    """It is made from all that its one search finds."""
    for text, steps in (("List all capitals of France.", 0), ("What is the capital of France?", 1)):
        made = small_world(planner=Once())
        outcome = answer_question(replace(made.ask(text), steps=4), made.components)
        assert len(outcome.steps) == steps and bool(outcome.answer.stopped) == bool(steps)


def test_where_a_setting_allows_no_step_the_answer_says_so() -> None:
    made = small_world(steps=Limits(steps=0))
    for steps, by_default, notes in ((4, False, [further.NONE_ALLOWED]), (4, True, []), (0, False, [])):
        asked = replace(made.ask("What is the capital of France?"), steps=steps, steps_by_default=by_default)
        told = answer_question(asked, made.components).answer.warnings
        assert [one for one in told if "further step" in one] == notes


class Noting(CoverageEvaluator):
    def __init__(self) -> None:
        self.numbers = list[int]()

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        self.numbers.append(len(candidates))
        return super().probabilities(question, candidates)


def test_of_what_a_tool_finds_the_first_six_are_read_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [passage(f"Badge number {n}.", chunk_id=f"c{n:02}", path=f"{n}.md") for n in range(20)]
    monkeypatch.setattr(further, "TOOLS", {**TOOLS, "rag": lambda *_: ToolFound(tuple(map(Candidate, rows)))})
    judge = Noting()
    made = small_world([*rows, *handbook()], planner=Once(), evaluator=judge)
    outcome = answer_question(replace(made.ask("What is the capital of France?"), steps=2), made.components)
    assert [[one for one, _ in step["found"]] for step in outcome.steps] == [[f"c{n:02}" for n in range(6)]]
    assert judge.numbers[1:] == [6]


class Web:
    """Answers the first search; `hangs`: none after it comes back."""

    def __init__(self, *, hangs: bool) -> None:
        self.asked, self.hangs = 0, hangs

    def passages(self, question: str, top: int) -> Found:
        self.asked += 1
        if self.hangs and self.asked > 1:
            threading.Event().wait(30)
        return Found([MADE])


class HangingPlanner:
    name = "hanging"

    def next_query(self, situation: WebSituation, problem: str = "") -> str:
        threading.Event().wait(30)
        raise AssertionError


def walked(web: Web, planner: WebPlanner | None) -> tuple[Outcome, float]:
    limits: Any = Limits(web_seconds=0.4)
    made = small_world([], outside=Outside(web, OPEN), evaluator=FixedEvaluator(0.1), web_planner=planner, steps=limits)
    began = time.monotonic()
    outcome = answer_question(replace(made.ask(CHAIN), steps=2), made.components)
    return outcome, time.monotonic() - began


def test_a_search_of_the_web_that_hangs_ends_with_the_time() -> None:
    web = Web(hangs=True)
    outcome, seconds = walked(web, None)
    assert seconds < 10 and web.asked == 2
    assert [one["error"] for one in outcome.steps if one["tool"] == "web"] == ["TimedOut"]
    assert any(one.startswith("the web was not used: ") for one in outcome.answer.warnings)


def test_a_planner_of_the_web_that_hangs_ends_with_the_time() -> None:
    outcome, seconds = walked(Web(hangs=False), HangingPlanner())
    assert seconds < 10 and [one.error for one in outcome.answer.orders if one.by == "hanging"] == ["TimedOut"]
