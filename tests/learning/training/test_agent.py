"""The loop of actor and comparator: it mends known faults, and promotes nothing where labels are random."""

from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest
from model_fakes.simulated_actor import (
    FAULTS,
    FAULTY,
    GOOD,
    RULES,
    FixedLabels,
    RandomLabels,
    Writer,
    act,
    instructed,
    questions,
)
from pydantic import ValidationError

from vouch.correction.planning.planners import SHIPPED, Actor, Template
from vouch.errors import NothingToLearn, Usage
from vouch.learning.agent.comparator import proposals
from vouch.learning.agent.contrast import contrast, told_contrast
from vouch.learning.agent.judged import AGENT_GATES, Least, gates_of, report_of, validate
from vouch.learning.agent.loop import Plan, improve
from vouch.learning.agent.run_summary import Action, Ran
from vouch.learning.models.agent_model import AgentModel, model_of
from vouch.learning.promotion.gates import Gate, refusal

WORLDS = Gate("two worlds", True, 0, None)
TRAIN, VALID = questions(40), questions(40, 100)
ROUNDS, ROUNDS_OF_ONE = 6, 2


def silent(what: str, done: int, of: int) -> None:
    """Nobody looks."""


def trained(first: Actor, run: Any, plan: Plan, writes: Writer | None = None) -> tuple[str, Actor, dict[str, Any]]:
    """Why it may not serve, the best actor, the report."""
    bank = improve(first, run, TRAIN, plan, silent, writes)
    found = validate(bank, run, VALID, 3, silent)
    gates = gates_of(found, len(TRAIN), Least(), WORLDS, plan.seed)
    refused = refusal(gates, AGENT_GATES)
    return refused, found.best.actor if found.best else first, report_of(bank, found, gates, plan)


def recall(actor: Actor) -> float:
    return fmean(act(actor, one).metric for one in VALID)


def test_each_of_the_known_faults_costs_by_itself() -> None:
    """Whichever one is left when the others are mended."""
    assert recall(GOOD) == 1.0
    assert all(recall(faulty) <= 0.95 for faulty in FAULTS.values()), {name: recall(f) for name, f in FAULTS.items()}
    assert recall(FAULTY) < min(map(recall, FAULTS.values()))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fault", [*FAULTS, "all of them"])
def test_known_faults_are_found_and_mended_in_a_bounded_number_of_rounds(fault: str, seed: int) -> None:
    faulty = FAULTS.get(fault, FAULTY)
    refused, actor, report = trained(faulty, act, Plan(rounds=ROUNDS, well=0.9, badly=0.8, seed=seed))
    kept = [row["round"] for row in report["bank"] if row["kept"]]
    print(f"{fault}, seed {seed}: {recall(faulty):.3f} to {recall(actor):.3f}, mended in round {kept[-1]}")
    assert refused == "" and recall(actor) == 1.0, report["figures"]
    assert kept[-1] <= (ROUNDS if faulty is FAULTY else ROUNDS_OF_ONE)
    assert actor.follows and "bridge" in [one.form for one in actor.templates]


def test_needless_steps_are_unlearned_although_nothing_more_is_found() -> None:
    wasteful = Actor((Template("open"), Template("bridge")), steps=8)

    def run(actor: Actor, question: str) -> Ran:
        """What it opens never comes back in time, and is of no use; a third form makes it worse."""
        opens = [Action("open", 0, 0, "TimedOut") for one in actor.templates if one.form == "open"]
        bridges = [Action("bridge", 1, 1) for one in actor.templates if one.form == "bridge"]
        bad = 0.5 if len(opens) + len(bridges) == len(actor.templates) else 0.25
        return Ran(question, bad if not bridges or "four" in question else 1.0, (*opens, *bridges), "final")

    refused, actor, report = trained(wasteful, run, Plan())
    assert refused == "" and [one.form for one in actor.templates] == ["bridge"]
    assert report["figures"]["validation"]["gain"] == 0.0 and report["figures"]["validation"]["after"]["steps"] == 1


def test_that_parts_bring_nothing_in_its_questions_never_drops_searching_by_part() -> None:
    idle = [Ran(one, metric, (Action("part", 0, 0), Action("bridge", 0, 0)), "stop") for one, metric in
            (("a", 0.0), ("b", 1.0))]
    found = [one.actor for one in proposals(SHIPPED, contrast(idle[1:], idle[:1]))]
    assert all("part" in [template.form for template in actor.templates] for actor in found)
    assert any("bridge" not in [template.form for template in actor.templates] for actor in found)


def test_a_language_models_instructions_are_mended_too_and_it_reads_labels_only() -> None:
    writer = Writer()
    refused, actor, report = trained(SHIPPED, instructed, Plan(rounds=6), writer)
    assert refused == "" and all(rule in actor.instructions for rule in RULES.values())
    assert {row["by"] for row in report["bank"] if row["kept"]} == {"statistics", "scripted"}
    assert not any(one in told for told in writer.told for one in (":0", ":1", "hops", "plain"))


def test_with_random_labels_nothing_is_promoted() -> None:
    served = [seed for seed in range(40) if not trained(SHIPPED, RandomLabels(seed), Plan(rounds=4, seed=seed))[0]]
    assert served == []


@pytest.mark.parametrize("idle", [0.2, 0.5, 0.8])
def test_with_one_coin_for_each_question_nothing_is_promoted_for_fewer_steps(idle: float) -> None:
    """It begins with as few steps as the simulated actor takes, so that fewer of them look like a gain."""
    few, better = replace(SHIPPED, steps=4), 0
    for seed in range(20):
        labels, plan = FixedLabels(seed, idle), Plan(seed=seed)
        found = validate(improve(few, labels, TRAIN, plan, silent), labels, VALID, 3, silent)
        better += refusal(gates_of(replace(found, reacts=True), 40, Least(), WORLDS, seed), AGENT_GATES) == ""
        assert "worth" in refusal(gates_of(found, 40, Least(), WORLDS, seed), AGENT_GATES), seed
    print(f"idle {idle}: {better} of 20 would serve if it did not count that no step changes anything")
    assert better or idle == 0.2


def test_where_all_is_done_well_or_badly_there_is_nothing_to_learn() -> None:
    for metric, side in ((1.0, "badly"), (0.0, "well")):
        shares = f"{side}. Their shares go from {metric:.2f} to {metric:.2f}, with a median of {metric:.2f}; "
        with pytest.raises(NothingToLearn, match=f"{shares}well is from 0.75 on, badly up to 0.5"):
            improve(SHIPPED, lambda _, question, m=metric: Ran(question, m, (), "final"), TRAIN, Plan(), silent)
    with pytest.raises(Usage, match="thresholds"):
        improve(SHIPPED, act, TRAIN, Plan(well=0.2, badly=0.5), silent)


def test_the_same_training_is_the_same_byte_for_byte() -> None:
    first, second = (trained(FAULTY, act, Plan(seed=3))[1:] for _ in range(2))
    assert first == second


def test_a_gate_that_was_not_looked_at_or_too_few_questions_refuse() -> None:
    bank = improve(FAULTY, act, TRAIN, Plan(), silent)
    found = validate(bank, act, VALID, 3, silent)
    assert "two worlds: not looked at" in refusal(gates_of(found, 40, Least(), None), AGENT_GATES)
    assert refusal(gates_of(found, 40, Least(), WORLDS), AGENT_GATES) == ""
    assert "validation" in refusal(gates_of(found, 40, Least(validation=41), WORLDS), AGENT_GATES)
    worse = Gate("two worlds", False, 3, None, "differ")
    assert "two worlds" in refusal(gates_of(found, 40, Least(), worse), AGENT_GATES)


def test_what_a_comparator_reads_holds_no_words_of_a_question() -> None:
    runs = [act(FAULTY, one) for one in TRAIN]
    told = told_contrast(contrast([one for one in runs if one.metric == 1], [one for one in runs if one.metric < 1]))
    assert "ended as covered" in told and not any(one.partition(":")[0] in told for one in TRAIN)


@pytest.mark.parametrize("change", [
    {"templates": []}, {"steps": 9}, {"templates": [{"form": "web"}]}, {"templates": [{"form": "part", "most": 7}]},
    {"templates": [{"form": "part"}, {"form": "part"}]}, {"instructions": "x" * 1001}, {"instructions": "a\x1b[2J"},
    {"kind": "logistic-fusion"}, {"agent_schema": 2}, {"code": "import os"},
])
def test_a_model_that_is_none_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AgentModel.model_validate(model_of(SHIPPED).model_dump() | change)


def test_a_model_is_its_actor_and_its_fingerprint_says_which() -> None:
    assert model_of(SHIPPED).actor == SHIPPED
    others = [replace(SHIPPED, steps=3), replace(SHIPPED, follows=True), replace(SHIPPED, instructions="x"),
              replace(SHIPPED, templates=SHIPPED.templates[::-1])]
    assert len({model_of(one).fingerprint for one in (SHIPPED, *others)}) == 5
    assert model_of(SHIPPED).fingerprint == model_of(SHIPPED).model_copy(update={"seed": 5}).fingerprint
