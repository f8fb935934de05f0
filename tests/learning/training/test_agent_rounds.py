"""A round of a training: which questions its batch holds, which change is tried first, and what a fault costs."""

from vouch.correction.planning.planners import Actor, Template
from vouch.learning.agent.bank import Bank
from vouch.learning.agent.loop import Plan, improve
from vouch.learning.agent.run_summary import Action, Ending, Ran

FIRST = Actor((Template("open"), Template("part")), steps=3)
ENDS: tuple[Ending, ...] = ("covered", "stop", "budget", "planned", "final")
PLAN = Plan(rounds=6, batch=8, tries=20)
TRAIN = [str(n) for n in range(40)]


def silent(what: str, done: int, of: int) -> None:
    """Nobody looks."""


def run(actor: Actor, question: str) -> Ran:
    """Every other question is done well; of the others each step that is allowed brings a little, and nothing else."""
    number = int(question)
    actions = (Action("open", 0, 0), Action("part", 1, number % 2), Action("other", 0, 0))
    return Ran(question, 1.0 if number % 2 else actor.steps / 20, actions, ENDS[number % len(ENDS)])


def test_half_of_a_batch_was_done_well_and_half_badly() -> None:
    bank = improve(FIRST, lambda actor, question: run(FIRST, question), TRAIN, PLAN, silent)
    batches = [one.runs for one in bank.tried if one.screened]
    assert batches and {len(runs) for runs in batches} == {8}
    assert {sum(one.metric == 1.0 for one in runs) for runs in batches} == {4}


def test_a_kind_of_change_that_failed_is_tried_after_those_that_did_not() -> None:
    """In each round the numbers of earlier failures only grow; some kinds are tried again."""
    bank, again = improve(FIRST, run, TRAIN, PLAN, silent), 0
    for number in range(1, PLAN.rounds + 1):
        before = Bank([one for one in bank.tried if one.round < number])
        failed = [before.failed(one.why) for one in bank.tried if one.round == number]
        assert failed == sorted(failed), number
        again += 0 < sum(map(bool, failed)) < len(failed)
    assert again >= 1


def test_a_fault_costs_more_than_a_step_that_finds_nothing() -> None:
    idle, faulty, unstepped = (Ran("1", 0.5, actions, "stop") for actions in (
        (Action("open", 0, 0),), (Action("open", 0, 0, "TimedOut"),), ()))
    assert unstepped.worth > idle.worth > faulty.worth
