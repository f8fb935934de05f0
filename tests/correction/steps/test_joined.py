"""What is joined and cannot be taken apart: certain only where what answers holds its words."""

from dataclasses import replace

import pytest
from homes.small_world import handbook, passage, small_world
from homes.steps_world import ask

from bots.steps_line import steps_line
from vouch.answering.part_notes import NOT_SURE
from vouch.correction.loop import answer_question
from vouch.correction.planning.joined import joined_in

DUE = passage("A receipt is due after ten days. A fine is due after twenty.", chunk_id="due", path="due.md")
MADE = small_world([DUE, *handbook()])
HELD, LACKED = (f"When is a receipt due after ten days and the {thing}?" for thing in ("fine", "due bonus"))


@pytest.mark.parametrize(("question", "joined"), [
    ("When is a receipt due and the company's IPO?", ["the company's IPO"]),
    ("How often are certificates rotated, and the coffee machines cleaned?", ["the coffee machines cleaned"]),
    ("What is the limit of a head and that of the CEO?", ["that of the CEO"]),
    ("How long is it, plus the CEO's birthday?", ["the CEO's birthday"]),
    ("What is the range of E4 as well as of E9?", ["of E9"]),
    ("Tell me the pay & the name of the cook.", ["the name of the cook"]),
    ("I joined and moved. How long is it?", []),
    ("What is due if I am new and ill?", []),
])
def test_what_follows_a_joining_word_of_what_asks(question: str, joined: list[str]) -> None:
    assert joined_in(question) == joined


def test_an_answer_without_the_words_of_what_is_joined_is_one_with_caution() -> None:
    answer = ask(MADE, LACKED).answer
    assert answer.verdict and answer.verdict.kind == "ambiguous" and answer.open_parts == ["the due bonus"]
    assert answer.action == "answered_with_caution" and answer.warnings == [f"{NOT_SURE}: the due bonus"]
    assert "all that was asked" not in steps_line(answer.model_dump(mode="json") | {"warnings": []})


def test_an_answer_with_these_words_is_as_certain_as_without_the_rule() -> None:
    answer = ask(MADE, HELD).answer
    assert answer.action == "answered" and not answer.open_parts and not answer.warnings


def test_it_is_a_gate_where_steps_are_taken_by_default() -> None:
    asked = replace(MADE.ask(LACKED), steps=4, steps_by_default=True)
    assert answer_question(asked, MADE.components).answer.open_parts == ["the due bonus"]
