"""A citation out of an answer, told as its passage stands now."""

from dataclasses import replace
from typing import Any

import pytest

from vouch.answering.standing import told_now
from vouch.answering.verification.citations import Citation
from vouch.values.candidate import Passage

TEXT = "Ask first.\nThen wait.\nAsk first."
THEN = Passage("a" * 32, "docs", "a.md", "Plan", ("Steps",), TEXT, 100, 100 + len(TEXT), 9, 11, 3, 5)
HEADER = "| Name | Days |\n|--|--|"
ROW = replace(THEN, path="t.md", text="| Ben | 7 |", end=111, last_line=9, has_table=True, header=HEADER)


def stored(passage: Passage, start: int, end: int) -> dict[str, Any]:
    return Citation(1, passage, start, end).told().model_dump(mode="json")


@pytest.mark.parametrize("start", [0, 22])
def test_where_nothing_moved_it_is_told_as_before(start: int) -> None:
    then = stored(THEN, start, start + 10)
    assert told_now(then, THEN, "") == then


@pytest.mark.parametrize("start", [0, 40, 95, 122, 5000])
def test_wherever_the_passage_is_moved_to_the_quote_is_what_is_cited(start: int) -> None:
    moved = replace(THEN, start=start, first_line=30, last_line=32, url="https://a.test")
    now = told_now(stored(THEN, 11, 21), moved, "")
    assert now is not None and (now["lines"], now["place"], now["url"]) == ([31, 31], "line 31", "https://a.test")
    first, end = (at - start for at in now["characters"])
    assert TEXT[first:end] == now["quote"] == "Then wait."


@pytest.mark.parametrize("moved", [1, 22, 40])
def test_of_words_that_stand_there_twice_some_are_marked(moved: int) -> None:
    now = told_now(stored(THEN, 22, 32), replace(THEN, start=100 + moved), "")
    assert now is not None
    first, end = (at - 100 - moved for at in now["characters"])
    assert TEXT[first:end] == "Ask first."


def test_words_that_hold_what_is_not_there_any_more_are_told_to_nobody() -> None:
    then, retitled = stored(THEN, 0, 10), replace(THEN, title="Notes")
    assert told_now(then, retitled, "Plan:\nAsk first. [1]") is None
    assert told_now(then, replace(retitled, section=("Plan", "Steps")), "Plan:\nAsk first. [1]") is not None
    now = told_now(then, retitled, "Ask first. [1]")
    assert now is not None and now["title"] == "Notes"
    row = stored(ROW, 0, 11)
    assert "Days" in row["header"] and told_now(row, ROW, "") == row
    assert told_now(row, replace(ROW, header=HEADER.replace("Days", "Bonus")), "") is None
    assert told_now({**then, "quote": "Something else."}, THEN, "") is None
