"""An agent is trained with a language model that orders steps and writes instructions, behind a real endpoint.

The model follows a name once its instructions say so, and is content with the first search before.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import small_world
from learning_scene.agent_company import NAMES, NOW, company
from model_fakes.chat_server import ChatServer, Handler, says
from model_fakes.language_model import model, models

from flows.shared.home_files.folders import SEARCHES, forget_searches
from services.models.agent_training import AgentTraining
from vouch.access import Directory
from vouch.adapters.language_model.planner import LanguageModelComparator, LanguageModelPlanner
from vouch.adapters.ledger import Ledger
from vouch.correction.components import QuestionKinds
from vouch.correction.planning.order import written
from vouch.correction.planning.planners import SHIPPED
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.errors import ModelDown
from vouch.learning.agent.judged import Least
from vouch.learning.agent.loop import Plan
from vouch.retrieval.ranking import Ranking

pytestmark = pytest.mark.integration
FOLLOWS = "Search for a name that was found."
PLAN = Plan(rounds=2, badly=0.5, well=0.75, batch=8, most_steps=2)
ASKED = 20                              # questions, of which half are to judge by


class Office:
    """The endpoint: of `asked` every request that was answered, by what for. From `down_at` on it answers none."""

    def __init__(self) -> None:
        self.asked, self.down_at = list[str](), 1_000_000

    def __call__(self, handler: Handler, body: dict[str, Any]) -> None:
        if len(self.asked) >= self.down_at:
            return handler.fail(500, "not now")
        kind = body["response_format"]["json_schema"]["name"]
        self.asked.append(kind)
        if kind == "instructions":
            return says(json.dumps({"instructions": FOLLOWS}))(handler, body)
        return says(_ordered(*(str(one["content"]) for one in body["messages"])))(handler, body)


def _ordered(role: str, told: str) -> str:
    names = re.search(r'"names": \["([^"]+)"', told)
    if FOLLOWS not in role or "Calls made" in told or names is None:
        return written(None, {}, "it is enough", final=True)
    return written("rag", {"query": names.group(1)}, "the name leads on")


@pytest.fixture
def office() -> Iterator[tuple[Office, str]]:
    made = Office()
    with ChatServer([made]) as server:
        yield made, server.url


TIGHT = QuestionKinds(FactQuestions(Ranking(top=20), places=2), ListQuestions())
"""What is not followed has no place with the writer, though each step leaves one."""


def training(folder: Path, ledger: Ledger, url: str, **changes: Any) -> AgentTraining:
    """In a home of its own; its breaker never keeps it from asking."""
    folder.mkdir(exist_ok=True)
    asked = models(model(url))
    made = small_world(company()[0][: 2 * ASKED], planner=LanguageModelPlanner(asked),
                       actor=replace(SHIPPED, follows=True), kinds=TIGHT)
    index: Any = made.index
    index.follow = lambda: None
    permissions: Any = SimpleNamespace(directory=Directory(), rulebooks={"handbook": None})
    how: dict[str, Any] = {"made_with": lambda: "v1", "least": Least(8, 8)} | changes
    return AgentTraining(folder, ledger, lambda: made.components, index, lambda: permissions, lambda score: (0, 10),
                         lambda: LanguageModelComparator(asked), lambda: NOW, **how)


def trained(made: AgentTraining) -> dict[str, Any]:
    _, asked = company()
    return made.run(asked[: ASKED // 2], asked[ASKED // 2 : ASKED], {}, PLAN, ["asked.jsonl"], None, lambda *_: None,
                    lambda line: None)


def test_instructions_are_learned_that_make_it_follow_a_name(
    office: tuple[Office, str], ledger: Ledger, memory_folder: Path
) -> None:
    found = trained(training(memory_folder, ledger, office[1]))
    assert found["state"] == "candidate", found["reason"]
    assert found["actor"]["instructions"] == FOLLOWS and found["figures"]["validation"]["after"]["metric"] > 0.85
    [kept] = [row for row in found["bank"] if row["kept"] and row["round"]]
    assert kept["by"] == "language model big-one" and "instructions" in office[0].asked
    assert {json.dumps(row["actor"]["templates"]) for row in found["bank"]} == {json.dumps(found["actor"]["templates"])}
    page = (Path(found["report"]) / "report.md").read_text()
    assert FOLLOWS in page and not any(name.lower() in page.lower() for name in NAMES)
    assert not list((memory_folder / SEARCHES).iterdir())


@pytest.mark.parametrize("when", ["orders", "instructions"])
def test_a_model_that_goes_away_meanwhile_loses_nothing_of_it(
    office: tuple[Office, str], ledger: Ledger, memory_folder: Path, when: str
) -> None:
    there, url = office
    whole = trained(training(memory_folder / "whole", ledger, url))
    first = list(there.asked)
    there.asked.clear()
    there.down_at = first.index("instructions") if when == "instructions" else len(first) // 2
    cut = training(memory_folder / "cut", ledger, url)
    with pytest.raises(ModelDown, match="runs of questions") as down:
        trained(cut)
    assert "the same command again" in down.value.cure and len(there.asked) == there.down_at
    [file] = (memory_folder / "cut" / SEARCHES).iterdir()
    text = file.read_text().lower()
    assert not any(name.lower() in text for name in NAMES), "no words of a question or a document"

    there.down_at = 1_000_000
    again = trained(cut)
    assert (again["name"], again["new"]) == (whole["name"], False)
    assert len(first) <= len(there.asked) <= len(first) + 2         # of a question that was cut off, and to see
    assert not (memory_folder / "cut" / SEARCHES / file.name).exists()


def test_after_a_purge_or_with_other_settings_it_begins_anew(
    office: tuple[Office, str], ledger: Ledger, memory_folder: Path
) -> None:
    there, url = office
    there.down_at = 15
    for made_with in ("v1", "v2"):
        there.asked.clear()
        with pytest.raises(ModelDown):
            trained(training(memory_folder, ledger, url, made_with=lambda made_with=made_with: made_with))
        assert len(there.asked) == 15
    forget_searches(memory_folder)
    there.asked.clear()
    there.down_at = 1_000_000
    trained(training(memory_folder, ledger, url, made_with=lambda: "v2"))
    whole = len(there.asked)
    there.asked.clear()
    trained(training(memory_folder, ledger, url, made_with=lambda: "v2"))
    assert len(there.asked) == whole                # nothing is kept of one that came to its end
