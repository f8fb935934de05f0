"""Which questions need what came before them, and what they stand for."""

import json
from pathlib import Path

import pytest
from homes.small_world import passage

from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.question.follow_up import (
    LONGEST_TITLE,
    LONGEST_TURN,
    MOST_TURNS,
    Lack,
    Turn,
    lack_of,
    name_nothing,
    points_back,
    title_of,
    turns_it_stands_on,
    with_earlier,
)

ANALYSER = SnowballAnalyser()
WRITTEN = [json.loads(line) for line in
           (Path(__file__).parents[1] / "conversations" / "company.jsonl").read_text("utf-8").splitlines()]
FOLLOW_UPS = [one["follow_up"] for one in WRITTEN if one["follow_up"] != one["full"]]


@pytest.mark.parametrize("text", [
    "and for contractors?", "How long does that take?", "What about interns?", "When?", "Who decides?",
    "Who may order it?", "For part-time staff?", "Are they paid?", "Can I get more there?", "Is it paid?",
    "What is its limit?", "Or by e-mail?", "Who's she?", "And if I don’t?",
])
def test_pronouns_openings_and_single_words_need_what_came_before(text: str) -> None:
    assert lack_of(text, ANALYSER) is Lack.EARLIER


@pytest.mark.parametrize("text", [
    "Is it possible to carry over unused vacation days into the next year?",
    "Who approves the purchase of a laptop that costs more than $800 for contractors?",
    "How do I report harassment at an offsite by a colleague if they are my own team lead?",
    "Can my manager see the band of their own reports in the review tool this year?",
    "", "?!",
])
def test_what_names_its_subject_stands_alone(text: str) -> None:
    assert lack_of(text, ANALYSER) is Lack.NOTHING


@pytest.mark.parametrize(("text", "back"), [
    ("And in Berlin?", True), ("What about interns?", True), ("How long does that take?", True), ("When?", True),
    ("For contractors?", True), ("Expenses?", False), ("What is Lattice?", False), ("How do I get reimbursed?", False),
    ("How do I book travel?", False), ("", False),
])
def test_what_names_its_only_subject_may_begin_anew(text: str, back: bool) -> None:
    assert points_back(text, ANALYSER) is back


@pytest.mark.parametrize("text", ["How many are granted?", "When are the old ones revoked?", "Who signs an offer?"])
def test_short_questions_may_lack_something(text: str) -> None:
    assert lack_of(text, ANALYSER) in (Lack.PERHAPS, Lack.EARLIER)


def test_no_written_follow_up_is_taken_to_stand_alone_and_no_whole_question_to_need_another() -> None:
    assert len(FOLLOW_UPS) >= 60
    assert {text for text in FOLLOW_UPS if lack_of(text, ANALYSER) is Lack.NOTHING} == set()
    whole = {one[form] for one in WRITTEN for form in ("first", "full")}
    assert {text for text in whole if lack_of(text, ANALYSER) is Lack.EARLIER} == set()


def test_a_chain_of_follow_ups_goes_back_to_a_question_that_stands_alone_and_not_too_far() -> None:
    first, second, third = Turn("How do I rotate keys?"), Turn("And if that fails?", True), Turn("Who is told?", True)
    assert with_earlier("When?", turns_it_stands_on([third, second, first, Turn("Lunch?")])) == (
        "How do I rotate keys? And if that fails? Who is told? When?")
    assert with_earlier("When?", turns_it_stands_on([first, second])) == "How do I rotate keys? When?"
    assert len(turns_it_stands_on([third] * 9)) == MOST_TURNS
    assert turns_it_stands_on([]) == []


def test_what_names_nothing_and_what_a_passage_is_called() -> None:
    assert name_nothing([Turn("How long does it take?"), Turn("And how often?")], ANALYSER)
    assert not name_nothing([Turn("How long does it take?"), Turn("And receipts?")], ANALYSER)
    assert title_of(passage("x", title="Leave ", section=("Leave", "Sick\nleave"))) == "Leave, Sick leave"
    assert title_of(passage("x", title="Leave", section=("Leave",))) == "Leave"
    assert len(title_of(passage("x", title="word " * 99))) <= LONGEST_TITLE
    assert with_earlier("And twins?", [Turn("How long?")], ["Leave"]) == "How long? Leave And twins?"


def test_long_earlier_questions_are_cut_at_a_word() -> None:
    whole = with_earlier("When?", [Turn("word " * 200)])
    assert len(whole) <= LONGEST_TURN + len(" When?")
    assert whole.endswith("word When?")


@pytest.mark.parametrize("text", ["ﷺ " * 2000, "b c d " * 666, "it " * 1300])
def test_a_long_question_of_few_words_costs_no_more_than_its_length(text: str) -> None:
    """One of 4,000 characters took up to 41 s, in which nobody else was answered."""
    read = 0

    class Counting(SnowballAnalyser):
        def terms(self, given: str) -> list[str]:
            nonlocal read
            read += len(given)
            return super().terms(given)

    assert lack_of(text, Counting()) is Lack.NOTHING and read <= 2 * len(text)
