"""An agent is trained on questions over what is served, registered as its gates say, promoted, and rolled back."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import NOBODY, OPEN, small_world
from learning_scene.agent_company import NAMES, NOW, company

from composition.model_registry.registered import Fitting, check_registered
from flows.shared.shadows import Shadows
from services.models.agent_training import AgentTraining, markdown
from services.models.measured_runs import AgentRuns
from services.models.registry import ModelService
from vouch.access import Directory
from vouch.adapters.ledger import Ledger
from vouch.correction.planning.planners import SHIPPED
from vouch.errors import NotFound, NothingToLearn, Usage
from vouch.learning.agent.loop import Plan
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.models.agent_model import AgentModel
from vouch.settings import Settings


@pytest.fixture
def training(ledger: Ledger, memory_folder: Path) -> Iterator[AgentTraining]:
    rows, _ = company()
    made = small_world(rows)
    index: Any = made.index
    index.follow = lambda: None
    permissions: Any = SimpleNamespace(directory=Directory(), rulebooks={"handbook": None})
    yield AgentTraining(memory_folder, ledger, lambda: made.components, index, lambda: permissions,
                        lambda score: (0, 10), lambda: None, lambda: NOW)


def trained(training: AgentTraining, **how: Any) -> dict[str, Any]:
    _, asked = company()
    plan = Plan(rounds=3, badly=0.5, well=0.75, batch=8, most_steps=3)
    given = {"questions": asked[:24], "validation": asked[24:], "readers": {}, "out": None} | how
    given = {"tell": lambda line: None, "progress": lambda *_: None} | given
    return training.run(plan=given.pop("plan", plan), data=["asked.jsonl"], **given)


def test_it_is_trained_registered_promoted_and_rolled_back(training: AgentTraining, memory_folder: Path) -> None:
    found = trained(training, out=memory_folder / "agent.json")
    validation = found["figures"]["validation"]
    assert found["state"] == "candidate", found["reason"]
    assert validation["before"]["metric"] < 0.9 and validation["after"]["metric"] > 0.95 and found["actor"]["follows"]
    assert AgentModel.model_validate_json((memory_folder / "agent.json").read_text()).actor.follows
    page = (Path(found["report"]) / "report.md").read_text()
    assert "follow a name" in page and json.loads((Path(found["report"]) / "report.json").read_text())["bank"]
    assert not any(name.lower() in page.lower() for name in NAMES), "no words of a question or a document"

    store, settings = training.ledger.models, Settings()
    service = ModelService(training.ledger, lambda row: check_registered(settings, row), Fitting(settings, store),
                           lambda folder: pytest.fail(str(folder)), lambda body: pytest.fail(str(body)), {},
                           Shadows(training.ledger, 100, 168.0), lambda model: (model, ()),
                           lambda model, beside: ())
    assert found["next"] == [f"vouch models promote {found['name']}"]
    service.promote(found["name"], "ana")
    assert store.pointer("agent").model == found["name"]
    shown = service.show(found["name"])
    assert shown["weights"]["follows"] == 1.0 and shown["figure"].startswith("gain +0.")
    service.rollback("agent", "ana")
    assert store.pointer("agent").model is None
    assert trained(training)["new"] is False


@pytest.mark.parametrize(("gold", "recall", "answer"), [
    (("leave.md", "Parents get 12 weeks of paid leave."), 1.0, 1.0),
    (("leave.md", "You earn four hours of sick leave per pay period."), 1.0, 0.0),      # read, and not quoted
    (("leave.md", "Nobody gets any."), 0.0, 0.0),
])
def test_a_question_is_measured_by_what_was_read_or_by_what_the_answer_quotes(
    gold: tuple[str, str], recall: float, answer: float
) -> None:
    made = small_world()
    permissions: Any = SimpleNamespace(directory=Directory(), rulebooks={"handbook": None})
    asked = [GoldenQuestion("1", "How many weeks of paid leave do parents get?", True, gold=((GoldQuote(*gold),),))]
    for metric, found in (("recall", recall), ("answer", answer)):
        runs = AgentRuns(made.components, permissions, asked, ["public"], Plan(metric=metric), lambda: NOW)
        assert runs(SHIPPED, "0").metric == found, metric


def test_by_the_answers_match_nothing_is_gained_where_no_more_is_quoted(training: AgentTraining) -> None:
    """The same questions as above: the planner that finds more is no better, as its answers quote the first page."""
    plan = Plan(rounds=3, badly=0.5, well=0.75, batch=8, most_steps=3, metric="answer")
    with pytest.raises(NothingToLearn, match="other actors is better"):
        trained(training, plan=plan)


@pytest.mark.parametrize(("metric", "told"), [
    ("recall", "that reached the writer"), ("answer", "that the answer quotes"),
])
def test_the_report_says_by_what_it_was_measured(training: AgentTraining, metric: Any, told: str) -> None:
    report = trained(training) | {"plan": {"metric": metric}}
    assert f"Metric: the share of what was expected {told}." in markdown("agent-1", report)


def test_gates_refuse_what_depends_on_hidden_rows_and_what_was_judged_by_few(training: AgentTraining) -> None:
    _, asked = company()
    leaks = trained(replace(training, compare=lambda score: (3, 10)))
    assert leaks["state"] == "refused" and "two worlds" in leaks["reason"] and leaks["next"] == []
    few = trained(training, validation=asked[24:34])
    assert few["state"] == "refused" and "validation" in few["reason"]


def test_what_is_wrong_with_the_questions_is_told_before_the_training_begins(training: AgentTraining) -> None:
    _, asked = company()
    said: list[str] = []
    trained(training, tell=said.append)
    assert said == []
    lost = [replace(one, id=f"lost-{n}", gold=((GoldQuote("gone.md", "Nobody gets any."),),))
            for n, one in enumerate(asked[:7])]
    heard: list[str] = []
    trained(training, questions=[*lost, *asked[7:24]], validation=asked[24:34],
            tell=heard.append, progress=lambda stage, *_: heard.append(stage))
    few, nowhere, *rest = heard
    assert few.startswith("there are 17 questions to train on and 10 to judge by: with fewer than 20")
    assert nowhere.startswith("of 7 questions") and nowhere.endswith(" lost-2, lost-3, lost-4, and more: left out")
    assert rest[0] == "questions"


def test_a_question_counts_once_and_none_is_in_both_files(training: AgentTraining) -> None:
    _, asked = company()
    again = [replace(one, id=f"again-{n}", text=f"  {one.text.upper()} ") for n, one in enumerate(asked[:12] * 2)]
    heard: list[str] = []
    found = trained(training, questions=[*asked[:12], *again], tell=heard.append)
    assert found["state"] == "refused" and "questions" in found["reason"]
    assert heard[0] == "24 questions left out that stood there before in the same words"
    assert heard[1].startswith("there are 12 questions to train on")
    with pytest.raises(Usage, match="3 questions to judge by stand among those to train on: again-0, again-1, again-2"):
        trained(training, validation=[*again[:3], *asked[24:]])


def test_what_its_reader_may_not_read_is_expected_of_nobody(training: AgentTraining) -> None:
    """Without its right to the teams' pages nothing can be found there: all is done badly, or well, alike."""
    index: Any = training.index
    index.labels.update({chunk_id: NOBODY for chunk_id in index.labels if "." in chunk_id and chunk_id[0].isupper()})
    with pytest.raises(NothingToLearn):
        trained(training)
    index.labels.update(dict.fromkeys(index.labels, OPEN))
    with pytest.raises(NotFound):
        trained(training, readers={"handbook": "group:nobody"})


def test_questions_that_say_nothing_are_refused_at_once(training: AgentTraining) -> None:
    _, asked = company()
    with pytest.raises(NothingToLearn, match="no questions"):
        trained(training, questions=[replace(one, gold=()) for one in asked])
    with pytest.raises(Usage, match="thresholds"):
        trained(training, plan=Plan(well=0.0))
    assert training.components().actor == SHIPPED
