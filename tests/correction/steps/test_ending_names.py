"""Names at the end of a question are taken apart where what was found has each, and never both side by side."""

from dataclasses import replace

import pytest
from homes.small_world import passage, small_world

from vouch.correction.loop import answer_question
from vouch.correction.planning.ending_names import by_ending_names, ending_names
from vouch.correction.planning.parts import parts_of

BOTH = "Who leads Merlin and Osprey?"
MERLIN = passage("The lead of Merlin is Mara Lind.", chunk_id="merlin", path="m.md", title="Merlin")
OSPREY = passage("Jo Berg is who leads Osprey.", chunk_id="osprey", path="o.md", title="Osprey")


@pytest.mark.parametrize(("question", "parts"), [
    (BOTH, ("Who leads", "Merlin", "Osprey")),
    ("Who leads the team that owns Blue Heron and Falcon?", ("Who leads the team that owns", "Blue Heron", "Falcon")),
    ("When was the wedding of Ana and Ben?", None),
    ("Who is on call for Payment Gateway and Red Kite?", ("Who is on call for", "Payment Gateway", "Red Kite")),
    ("What is the distance between Riga and Oslo?", None),
    ("What is the goal of teams like Merlin and Osprey?", None),
    ("Who leads the Merlin and Osprey?", None),
    ("Who leads Merlin and the team Osprey?", None),
    ("Leads Merlin and Osprey?", None),
    ("Who leads Merlin and Osprey today?", None),
    ("Who leads merlin and Osprey?", None),
    ("Who leads the Big Old Red Blue Merlin and Osprey?", None),
    ("and", None),
])  # fmt: skip
def test_the_form_is_names_at_the_end_after_words_that_are_shared(
    question: str, parts: tuple[str, str, str] | None
) -> None:
    assert ending_names(question) == parts
    assert sum(part.wanted for part in parts_of(question)) == 1        # by its form alone, as for the web, it is one


def test_they_are_two_where_each_is_found_and_one_thing_where_both_stand_side_by_side() -> None:
    assert by_ending_names(BOTH, [MERLIN, OSPREY]) == ["Who leads Merlin", "Who leads Osprey"]
    assert by_ending_names(BOTH, [MERLIN]) == [] == by_ending_names(BOTH, [])
    for told in ("Merlin and Osprey", "Merlin & Osprey", "merlin and\nosprey", "Merlin/Osprey"):
        together = passage(f"The plan of {told} is here.", chunk_id="both", path="b.md")
        assert by_ending_names(BOTH, [MERLIN, OSPREY, together]) == [], told
    research = passage("Research and Development is led by Ole.", chunk_id="r", path="r.md")
    assert by_ending_names("Who leads Research and Development?", [research]) == []
    lower = [replace(one, title="", section=(), text=one.text.lower()) for one in (MERLIN, OSPREY)]
    assert by_ending_names(BOTH, lower) == []


def test_each_is_searched_for_and_answered() -> None:
    made = small_world([MERLIN, OSPREY])
    once, answer = (answer_question(replace(made.ask(BOTH), steps=n), made.components).answer for n in (0, 4))
    assert not once.steps and [one.query for one in answer.steps][:2] == ["Who leads Merlin", "Who leads Osprey"]
    assert {one.path for one in answer.citations} == {"m.md", "o.md"}
