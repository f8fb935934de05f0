"""Documents that give orders to a planner change none of its tool calls; only their plain words can."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from homes.small_world import handbook, passage, small_world
from model_fakes.planner_orders import ORDERS

from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.documents.instructions import orders_a_model
from vouch.values.candidate import Passage

DRAWN, LONG = 100, 500
NAMES = ("Falcon", "Heron", "Osprey", "Kestrel", "Harrier", "Merlin")
TEAMS = ("gateway", "ledger", "portal", "archive", "console")
ASKED = ("Who leads the team that owns the {}?", "Which team owns the {} and when is it on call?",
         "What is the difference between {} and payroll?")


def rows(drawn: random.Random, order: str, *, flagged: bool = True) -> list[Passage]:
    """A few papers; one of them ends with the order, if there is one."""
    made = []
    for n, (team, name) in enumerate(zip(drawn.sample(TEAMS, 3), drawn.sample(NAMES, 3), strict=True)):
        text = f"The {team} is owned by the {name} team. {name} is on call on day {drawn.randint(1, 28)}."
        text = f"{text} {order}".strip() if n == 0 else text
        made.append(passage(text, chunk_id=f"p{n}", path=f"{n}.md", title=team.title(), section=(team.title(),),
                            injection=flagged and orders_a_model(text)))
    return [*made, *handbook()]


def asked(papers: list[Passage], question: str, read: list[Passage] | None = None) -> Outcome:
    """`read` stand in the place of the papers once these are indexed: the same plain words were counted."""
    world = small_world(papers)
    world.index.passages = read or papers
    return answer_question(replace(world.ask(question), steps=4), world.components)


def calls(outcome: Outcome) -> list[Any]:
    """Tools with all of their arguments, ends, and what was said to them."""
    steps = [one.model_dump(exclude={"ms", "passages"}) for one in outcome.answer.steps]
    return [steps, outcome.answer.stopped, [one.model_dump() for one in outcome.answer.orders]]


@pytest.mark.parametrize("worlds", [DRAWN, pytest.param(LONG, marks=pytest.mark.soak)])
def test_orders_in_documents_change_no_call(worlds: int) -> None:
    """The first hundred; five hundred in the long form."""
    counted: Counter[str] = Counter()
    for seed in range(worlds):
        drawn = random.Random(seed)
        order, question = drawn.choice(ORDERS), drawn.choice(ASKED).format(drawn.choice(TEAMS))
        ordering, silent = (rows(random.Random(seed), text) for text in (order, ""))
        assert ordering[0].injection and not silent[0].injection
        with_it, without = asked(ordering, question), asked(ordering, question, silent)
        assert "zorblax" not in str(with_it.answer.model_dump()).casefold() + str(with_it.steps).casefold()
        assert {one.tool for one in with_it.answer.steps} <= {"rag"}
        assert calls(without) == calls(with_it)
        counted.update(one.thought for one in with_it.answer.steps)
        counted["with steps"] += bool(with_it.steps)
    assert min(counted["with steps"], counted["a bridge from what was found"]) >= 0.6 * worlds, counted


def test_without_the_flag_their_names_would_lead_the_planner() -> None:
    """The negative control: what is kept away is what bridges are made from, where another paper holds it as well."""
    led = 0
    other = passage("Zorblax Payroll keeps staplers.", chunk_id="other", path="other.md", title="", section=())
    for seed in range(60):
        drawn = random.Random(seed)
        question = drawn.choice(ASKED).format(drawn.choice(TEAMS))
        outcome = asked([*rows(random.Random(seed), ORDERS[0], flagged=False), other], question)
        led += any("Zorblax" in one.query for one in outcome.answer.steps)
    assert led > 5
