"""A training quotes and stays inside: neither the web nor the writer that is set is asked, whatever is trained on."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from fakes.noted_web import NotedWeb, web_passage
from homes.small_world import EVERYBODY, OPEN, SmallWorld, small_world
from learning_scene.agent_company import NOW, company

from services.models.measured_runs import AgentRuns
from services.models.walked_worlds import walked_in
from vouch.access import Directory
from vouch.correction.components import Components, Outside
from vouch.correction.loop import answer_question
from vouch.correction.planning.planners import SHIPPED
from vouch.learning.agent.loop import Plan
from vouch.ports.language import Draft, Evidence

ROWS, ASKED = company()


class NotedWriter:
    """A language model that is asked for an answer; `asked` are the questions."""

    name = "noted"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        self.asked.append(question)
        return Draft((), self.name)


@pytest.fixture
def scene() -> tuple[SmallWorld, NotedWeb, NotedWriter]:
    """The documents are never enough, so that the web is asked wherever it may be."""
    web, writer = NotedWeb(web_passage("Of a boiler.")), NotedWriter()
    made = small_world(ROWS, outside=Outside(web, OPEN), writer=writer, evaluator=FixedEvaluator(0.4))
    return made, web, writer


def measured(c: Components) -> None:
    permissions: Any = SimpleNamespace(directory=Directory(), rulebooks={"handbook": None})
    runs = AgentRuns(c, permissions, ASKED[:2], ["public"] * 2, Plan(most_steps=2), lambda: NOW)
    assert [runs(SHIPPED, str(n)).question for n in range(2)] == ["0", "1"]


def compared(c: Components) -> None:
    assert walked_in(c.index.view(EVERYBODY), c, ASKED[0].text, 2)


@pytest.mark.parametrize("part", [measured, compared])
def test_no_part_of_a_training_asks_the_web_or_the_writer(
    scene: tuple[SmallWorld, NotedWeb, NotedWriter], part: Callable[[Components], None]
) -> None:
    made, web, writer = scene
    part(made.components)
    assert web.asked == [] and writer.asked == []
    answer_question(replace(made.ask(ASKED[0].text), steps=2), made.components)
    assert web.asked and writer.asked, "any other question asks both"
