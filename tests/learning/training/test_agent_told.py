"""Training where a language model orders steps: nothing is tried that could have no effect, and its words are."""

from dataclasses import replace

import pytest

from vouch.correction.planning.planners import SHIPPED, Actor, Template
from vouch.learning.agent.bank import Bank
from vouch.learning.agent.comparator import proposals
from vouch.learning.agent.contrast import contrast
from vouch.learning.agent.loop import Plan, Writes, improve
from vouch.learning.agent.run_summary import Action, Ending, Ran

FIRST = Actor((Template("open"), Template("part")), steps=3)
ENDS: tuple[Ending, ...] = ("covered", "stop", "budget", "planned", "final")
PLAN = Plan(rounds=4, batch=8, tries=20, templates=False)


def run(actor: Actor, question: str) -> Ran:
    """Every other question is done badly, in every way to end, whatever the actor is."""
    number = int(question)
    actions = (Action("open", 0, 0), Action("part", 1, number % 2), Action("other", 0, 0))
    return Ran(question, float(number % 2), actions, ENDS[number % len(ENDS)])


def silent(what: str, done: int, of: int) -> None:
    """Nobody looks."""


class Words:
    name = "words"

    def __init__(self) -> None:
        self.asked = 0

    def instructions(self, before: str, contrast: str) -> str:
        self.asked += 1
        return f"Other words, number {self.asked}."


def tried(plan: Plan, writes: Writes | None = None) -> Bank:
    return improve(FIRST, run, [str(n) for n in range(20)], plan, silent, writes)


@pytest.mark.parametrize("follows", [True, False])
def test_only_what_a_language_model_goes_by_is_changed(follows: bool) -> None:
    runs = [run(FIRST, str(n)) for n in range(20)]
    found = contrast([one for one in runs if one.metric], [one for one in runs if not one.metric])
    actor = replace(SHIPPED, follows=follows, steps=2)
    assert any(one.actor.templates != actor.templates for one in proposals(actor, found))
    without = proposals(actor, found, templates=False)
    assert without and all(one.actor.templates == actor.templates for one in without)
    assert all((one.actor.steps, one.actor.follows) != (actor.steps, actor.follows) for one in without)


def test_no_template_is_tried_in_a_whole_training() -> None:
    actors = [one.actor for one in tried(PLAN).tried]
    assert len(actors) > 1 and {one.templates for one in actors} == {FIRST.templates}
    with_templates = [one.actor for one in tried(replace(PLAN, templates=True)).tried]
    assert len({one.templates for one in with_templates}) > 1


def test_what_writes_instructions_is_asked_in_every_round() -> None:
    """Each round is of another batch, so it may write other words where statistics have nothing left to try."""
    words = Words()
    bank = tried(PLAN, words)
    assert words.asked == PLAN.rounds == max(one.round for one in bank.tried)
