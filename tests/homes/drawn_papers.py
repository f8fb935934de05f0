"""Drawn companies of a few papers, one of which may give orders."""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from homes.small_world import SmallWorld, handbook, passage
from vouch.adapters.analyser import SnowballAnalyser
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.documents.instructions import orders_a_model
from vouch.values.candidate import Passage

NAMES = ("Falcon", "Heron", "Osprey", "Kestrel", "Harrier", "Merlin")
TEAMS = ("gateway", "ledger", "portal", "archive", "console")
ASKED = ("Who leads the team that owns the {}?", "Which team owns the {} and when is it on duty?",
         "What is the difference between {} and finance?")
ANALYSER = SnowballAnalyser()


def rows(
    drawn: random.Random, order: str, *, flagged: bool = True, place: int = 2, joint: str = " "
) -> list[Passage]:
    """A few papers of two sentences; the order, if there is one, stands before, between, or behind those of one."""
    made = []
    for n, (team, name) in enumerate(zip(drawn.sample(TEAMS, 3), drawn.sample(NAMES, 3), strict=True)):
        sentences = [f"The {team} is owned by the {name} team.", f"{name} is on duty on day {drawn.randint(1, 28)}."]
        if n == 0 and order:
            sentences.insert(place, order)
        text = (joint if n == 0 else " ").join(sentences)
        made.append(passage(text, chunk_id=f"p{n}", path=f"{n}.md", title=team.title(), section=(team.title(),),
                            injection=flagged and orders_a_model(text)))
    return [*made, *(one for one in handbook() if one.path != "tools.md")]


def asked(world: SmallWorld, question: str, steps: int = 4) -> Outcome:
    """However slow the machine is: no time is ever up."""
    patient = replace(world.components.steps, seconds=600.0, tool_seconds=600.0, open_seconds=600.0,
                      web_seconds=600.0)
    return answer_question(replace(world.ask(question), steps=steps), replace(world.components, steps=patient))


def calls(outcome: Outcome) -> list[Any]:
    """Tools with all of their arguments, ends, and what was said to them."""
    steps = [one.model_dump(exclude={"ms", "passages"}) for one in outcome.answer.steps]
    return [steps, outcome.answer.stopped, [one.model_dump() for one in outcome.answer.orders]]


def words_of(papers: Iterable[Passage]) -> frozenset[str]:
    texts = (" ".join((one.title, *one.section, one.text)) for one in papers)
    return frozenset(term for text in texts for term in ANALYSER.terms(text))
