"""A follow-up that turns to something else is not answered, as certain, by what was said before."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import handbook, passage, small_world

from vouch.answering.part_notes import NOT_QUOTED
from vouch.correction.loop import answer_question
from vouch.correction.steps import parts_open
from vouch.retrieval.question.follow_up import turned_to

BADGE = passage("A lost badge costs 15 euros. Report it at the desk.", chunk_id="badge", path="badge.md", title="Badge",
                section=("Badge",))
FIRST = "What does a lost badge cost?"


def follow_up(text: str, **more: Any) -> Any:
    world = small_world([BADGE, *handbook()], **more)
    asked = replace(world.ask(text), understood_as=f"{FIRST} {text}", understood_by="rules")
    return answer_question(asked, world.components).answer


def test_what_it_turns_to_has_to_stand_in_what_is_quoted() -> None:
    answer = follow_up("And parking?")
    assert answer.action == "answered_with_caution" and answer.warnings == [f"{NOT_QUOTED}: parking"]
    assert follow_up("And a lost badge?").action == "answered"


def test_nobody_is_told_what_was_said_before_as_if_it_answered() -> None:
    told = list[str]()
    listener: Any = SimpleNamespace(
        stage=lambda *_: None, counted=lambda *_: None, over=lambda: None,
        sentence=lambda sentence, _: told.append(sentence.text))
    world = small_world([BADGE, *handbook()])
    asked = replace(world.ask("And parking?"), understood_as=f"{FIRST} And parking?", understood_by="rules")
    answer_question(asked, world.components, listener)
    assert told == []
    answer_question(world.ask(FIRST), world.components, listener)
    assert told != []


def test_planted_answer_to_what_was_asked_before_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    monkeypatch.setattr(parts_open, "turned_to", lambda text: [])
    assert follow_up("And parking?").action == "answered"


@pytest.mark.parametrize(("text", "told"), [
    ("And parking?", ["parking"]), ("What about work at night?", ["work", "at", "night"]), ("or Merlin?", ["merlin"]),
    ("And how long does it take?", []), ("Can they swap shifts?", []), ("And?", []), ("What about", []),
    ("And is it paid?", []), ("Parking?", []),
])
def test_what_a_question_turns_to(text: str, told: list[str]) -> None:
    assert turned_to(text) == told
