"""Each gate of an agent refuses by itself, where all others are passed."""

import pytest

from vouch.correction.planning.planners import SHIPPED, Actor
from vouch.learning.agent.bank import Bank, Tried
from vouch.learning.agent.judged import AGENT_GATES, Least, Validated, gates_of, validate
from vouch.learning.agent.run_summary import Action, Ran
from vouch.learning.promotion.gates import Gate

WORLDS = Gate("two worlds", True, 0, None)
STEP = Action("bridge", 1, 0)


def ran(metrics: list[float], steps: int = 0) -> tuple[Ran, ...]:
    return tuple(Ran(str(n), metric, (STEP,) * steps, "stop") for n, metric in enumerate(metrics))


def refusing(first: tuple[Ran, ...], runs: tuple[Ran, ...], chosen_from: int = 1, trained: int = 20,
             best: bool = True) -> list[str]:
    """The gates that are not passed."""
    tried = Tried(1, Actor(follows=True), "it", "statistics", runs, screened=False, kept=True) if best else None
    gates = gates_of(Validated(first, tried, runs, chosen_from), trained, Least(), WORLDS)
    assert tuple(gate.name for gate in gates) == AGENT_GATES and Actor(follows=True) != SHIPPED
    return [gate.name for gate in gates if not gate.passed]


BEFORE, BETTER = ran([0.5] * 20), ran([0.6] * 20)


def test_one_that_is_surely_better_passes() -> None:
    assert refusing(BEFORE, BETTER) == []


@pytest.mark.parametrize("after", [BEFORE, ran([0.5] * 19 + [1.0]), ran([1.0] * 8 + [0.5] * 8 + [0.0] * 4)])
def test_one_that_is_no_better_or_perhaps_by_chance_is_refused(after: tuple[Ran, ...]) -> None:
    assert "worth" in refusing(BEFORE, after)


def test_fewer_steps_pay_for_no_loss() -> None:
    """Its worth is surely above that of the first, and its metric is below."""
    assert refusing(ran([1.0] * 20, steps=20), ran([0.95] * 20)) == ["metric"]
    assert refusing(ran([1.0] * 20, steps=20), ran([0.995] * 20)) == []


def test_the_more_actors_validation_chose_from_the_surer_the_gain_has_to_be() -> None:
    better = ran([1.0] * 6 + [0.2] + [0.5] * 13)
    assert refusing(BEFORE, better, chosen_from=1) == []
    assert refusing(BEFORE, better, chosen_from=3) == ["worth"]


def test_the_best_is_chosen_by_validation_questions() -> None:
    """The one that was worthiest in the training is the worse one there."""
    first, trained_best, validated_best = SHIPPED, Actor(follows=True), Actor(follows=True, steps=1)
    worth = {first: 0.2, trained_best: 0.4, validated_best: 0.6}
    bank = Bank()
    for actor, metric in ((first, 0.1), (trained_best, 0.9), (validated_best, 0.5)):
        bank.add(Tried(0, actor, "it", "statistics", ran([metric] * 3), screened=False, kept=True))
    questions = ["a", "b"]
    found = validate(bank, lambda actor, question: Ran(question, worth[actor], (), "stop"), questions, 3,
                     lambda *_: None)
    assert found.best is not None and found.best.actor == validated_best and found.chosen_from == 2
    assert [one.metric for one in found.runs] == [0.6, 0.6] and [one.metric for one in found.first] == [0.2, 0.2]


def test_too_few_questions_and_none_that_is_better_are_refused() -> None:
    assert refusing(BEFORE, BETTER, trained=19) == ["questions"]
    assert refusing(BEFORE[:19], BETTER[:19]) == ["validation"]
    assert refusing(BEFORE, BETTER, best=False) == ["worth"]
