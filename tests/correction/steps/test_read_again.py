"""Whatever a planner was told of, or had opened, is read again with the readers' rights before an answer is sent."""

from typing import Any

import pytest
from homes.small_world import handbook, passage, small_world
from homes.steps_world import Scripted, ask, rag

from vouch.correction.components import QuestionKinds
from vouch.correction.evaluation import Verdict
from vouch.correction.outcome import Outcome
from vouch.correction.planning.order import OpenArgs, written
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.correction.steps.memory import Memory
from vouch.correction.steps.trajectory import OrderedBy, StepTaken, Walked
from vouch.correction.steps.trajectory import told as answer_steps
from vouch.retrieval.ranking import Ranking
from vouch.values.candidate import Candidate

TEAMS = ("Falcon", "Heron", "Osprey", "Kestrel", "Harrier", "Merlin", "Condor", "Egret", "Swift", "Plover", "Ibis")
PAGES = [passage(f"Badge {n} is kept by the {name} team.", chunk_id=f"c{n}", path=f"{n}.md",
                 title=f"{name} {n}", section=(f"{name} {n}",)) for n, name in enumerate(TEAMS)]
ASKED = "Is the badge kept, and how many weeks of paid leave do parents get?"

OPENED = [written("open", {"chunk": f"c{n}"}, "") for n in range(len(TEAMS))]


def told(*orders: str) -> tuple[set[str], Outcome]:
    """All passages that the planner was told of, and the outcome."""
    planner = Scripted(*orders, written(None, {}, "enough"))
    facts = FactQuestions(Ranking(top=20), evidence_tokens=20)      # so that few have a place in the evidence
    kinds = QuestionKinds(facts, ListQuestions())
    outcome = ask(small_world([*PAGES, *handbook()], planner=planner, kinds=kinds), ASKED)
    return {one.chunk_id for situation in planner.seen for one in situation.seen}, outcome


def test_what_a_planner_was_told_of_is_read_again() -> None:
    shown, outcome = told(rag("badge team kept"), rag("badge kept team Falcon"))
    evidence = {one.chunk_id for one in outcome.answer.evidence}
    assert shown - evidence and shown <= set(outcome.given)


def test_what_it_had_opened_is_read_again_and_named() -> None:
    _, outcome = told(rag("badge team kept"), *OPENED)
    opened = {step.opened for step in outcome.answer.steps if step.tool == "open" and not step.error}
    assert opened and "" not in opened and opened <= set(outcome.given)


def test_what_is_not_read_again_is_not_named_as_opened() -> None:
    args = (OpenArgs(chunk="c0"), OpenArgs(document="handbook:0.md"))
    steps = tuple(StepTaken(1, "open", one, OrderedBy("rules", rules=True), "", 1.0) for one in args)
    walked = Walked(Verdict("correct", (0.9,), 0.9, (0.2, 0.6), ""), [Candidate(PAGES[0])], [], [], steps)
    assert [step.opened for step in answer_steps(walked, {"c0"})] == ["c0", "handbook:0.md"]
    assert [step.opened for step in answer_steps(walked, {"c1"})] == ["", ""]


def test_planted_passages_that_are_forgotten_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgets(set[str]):
        def update(self, *_: Any) -> None:
            """Nothing is noted."""

    monkeypatch.setattr(Memory, "shown", property(lambda self: Forgets(), lambda self, _: None), raising=False)
    shown, outcome = told(rag("badge team kept"), *OPENED)
    assert not shown <= set(outcome.given)
