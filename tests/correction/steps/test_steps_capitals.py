"""A name is one whatever its first letter is: in a passage, in a question, and on a page of the web."""

import json
import re
import unicodedata
from dataclasses import replace

import pytest
from fakes.noted_web import web_passage
from homes.small_world import handbook, passage, small_world

from vouch.correction.loop import answer_question
from vouch.correction.planning.chains import clauses
from vouch.correction.planning.parts import parts_of
from vouch.correction.steps.web import RuleWebPlanner
from vouch.documents.text.capitals import CAPITALS
from vouch.ports.web import WebSituation

NAMES = ["Falcon", "Ökoteam", "Élan", "Łukasz Group", "Čapek", "Šárka Works", "Ωmega", "Юнион"]


@pytest.mark.parametrize("name", NAMES)
def test_a_chain_is_followed_by_it(name: str) -> None:
    rows = [passage(f"The payment gateway is owned by {name}.", chunk_id="gateway", path="g.md",
                    title="Payment gateway", section=("Payment gateway",)),
            passage(f"{name} has Mara Lind as its lead.", chunk_id="team", path="t.md", title=name, section=(name,))]
    made = small_world([*rows, *handbook()])
    question = replace(made.ask("Who leads the team that owns the payment gateway?"), steps=3)
    steps = answer_question(question, made.components).answer.steps
    assert any(step.thought.startswith("a bridge") and name in step.query for step in steps), steps


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_part_of_a_question(name: str) -> None:
    assert [part.text for part in parts_of(f"Are {name} and Heron on call?")] == [f"Are {name} on call",
                                                                                 "Are Heron on call"]
    assert clauses(f"Who pays the head of {name} at work?") == [f"the head of {name} at work"]


@pytest.mark.parametrize("name", NAMES)
def test_it_leads_on_from_a_page_of_the_web(name: str) -> None:
    page = web_passage(f"The Zephyr engine is made by {name} of Riga.", "zephyr", "Zephyr engine")
    question = "Who leads the company that makes the Zephyr engine?"
    asked = question, "the company that makes the Zephyr engine"
    said = RuleWebPlanner(small_world().components.analyser.terms).next_query(WebSituation(question, (page,), asked, 2))
    assert name in json.loads(said)["args"]["query"]


def test_they_are_the_capitals_of_these_alphabets_and_no_other_letters() -> None:
    one = re.compile(f"[{CAPITALS}]")
    inside = {chr(code) for code in range(0x110000) if one.match(chr(code))}
    letters = {chr(code) for code in (*range(0x180), *range(0x386, 0x3AC), *range(0x400, 0x430))}
    capitals = {sign for sign in letters if unicodedata.category(sign) == "Lu"}
    assert capitals <= inside and not any(sign.islower() for sign in inside)
    assert all(unicodedata.category(sign) in ("Lu", "Cn") for sign in inside), "or none at all"
