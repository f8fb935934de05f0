"""Searches and seconds that all steps may take: planners, tools and judging that are slow."""

import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from homes.small_world import CoverageEvaluator
from homes.steps_world import HALF, TWO, ask, rag, with_tool, world

from vouch.answering.answer import ended_early
from vouch.correction.planning.limits import Limits
from vouch.correction.steps import further
from vouch.correction.steps.runtime import Runtime
from vouch.correction.steps.tools import TOOLS, ToolFound
from vouch.values.candidate import Candidate


def test_searches_and_seconds_are_budgets_too() -> None:
    one = ask(world(steps=Limits(searches=1)), HALF)
    assert len(one.steps) == 1 and ended_early("budget", 1, "searches") in one.answer.warnings
    none = ask(world(steps=Limits(seconds=0.0)), HALF)
    assert none.steps == () and none.answer.action == "answered_with_caution"
    assert none.answer.stopped == "budget" and ended_early("budget", 0, "seconds") in none.answer.warnings
    assert len(ask(world(steps=Limits(steps=1)), HALF, 8).steps) == 1


def test_a_planner_that_hangs_uses_up_the_seconds_and_no_more() -> None:
    class Hanging:
        name = "hanging"

        def next_step(self, *_: Any) -> str:
            threading.Event().wait(30)
            raise AssertionError

    began = time.monotonic()
    assert ask(world(planner=Hanging(), steps=Limits(seconds=0.2)), TWO).answer.citations
    assert time.monotonic() - began < 10


class Slow(CoverageEvaluator):
    """Takes this long for all but the first search; `parts` are those it was asked about."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.parts = seconds, list[str]()

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        self.parts.append(question)
        if len(self.parts) > 1:
            threading.Event().wait(self.seconds)
        return super().probabilities(question, candidates)


def test_judging_that_hangs_uses_up_the_seconds_and_no_more() -> None:
    began = time.monotonic()
    outcome = ask(world(evaluator=Slow(30), steps=Limits(seconds=0.5)), TWO)
    assert time.monotonic() - began < 10 and outcome.answer.stopped == "budget"
    assert [(one["error"], one["found"]) for one in outcome.steps] == [("not judged in time", [])]
    assert "what 1 further step found was not judged in time, and is left out" in outcome.answer.warnings
    assert ended_early("budget", 1, "seconds") in outcome.answer.warnings


def test_the_time_that_judging_takes_counts() -> None:
    slow = Slow(0.6)
    outcome = ask(world(evaluator=slow, steps=Limits(seconds=1.0)), HALF, 8)
    assert outcome.answer.stopped == "budget" and 1 <= len(outcome.steps) <= 2
    assert outcome.steps[0]["error"] == "" and outcome.steps[0]["ms"] >= 600 and len(slow.parts) <= 3


@pytest.mark.parametrize("late", ["planner", "tool"])
def test_nothing_is_begun_after_the_seconds_are_over(monkeypatch: pytest.MonkeyPatch, late: str) -> None:
    """The clock of the runtime stands still but for what a planner or a tool takes."""
    now, begun = [0.0], list[str]()

    class Takes:
        name = "takes"

        def next_step(self, *_: Any) -> str:
            now[0] += 30 * (late == "planner")
            return rag("on call")

    def tool(*given: Any) -> ToolFound:
        begun.append("tool")
        now[0] += 30 * (late == "tool")
        return TOOLS["rag"](*given)

    with_tool(monkeypatch, tool)
    monkeypatch.setattr(further, "Runtime", partial(Runtime, monotonic=lambda: now[0]))
    slow = Slow(0)
    outcome = ask(world(planner=Takes(), evaluator=slow), TWO)
    assert outcome.answer.stopped == "budget" and len(slow.parts) == 1        # no step's finds were judged
    if late == "planner":
        assert begun == [] and outcome.steps == () and ended_early("budget", 0, "seconds") in outcome.answer.warnings
    else:
        assert begun == ["tool"] and [one["error"] for one in outcome.steps] == ["not judged in time"]
