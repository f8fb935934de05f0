"""What steps tell where something may not be read any more: of rules what is still readable, of models nothing."""

from typing import Any

import pytest

from services.answering.partly_readable import steps_told

ROW = {"args": {"words_of": []}, "found": []}


def body(by: str, planned_by: str = "", **noted: bool) -> dict[str, Any]:
    step = {"tool": "rag", "query": "leads Falcon", "thought": "why", "by": by, "passages": [], "error": "", "ms": 1.0}
    order = {"step": 2, "by": by, "thought": "that is all", "error": ""}
    return {"stopped": "stop", "planned_by": planned_by, "steps": [{**step, **noted}], "orders": [{**order, **noted}]}


def words(row: dict[str, Any]) -> list[str]:
    told = steps_told(row, [ROW], ())
    return [one["thought"] for one in (*told["steps"], *told["orders"])]


@pytest.mark.parametrize(("by", "planned_by"), [("rules", ""), ("agent-7", "agent-7")])
def test_words_of_rules_are_told_and_not_those_of_a_model_that_is_called_like_them(by: str, planned_by: str) -> None:
    assert words(body(by, planned_by, by_rules=True)) == ["why", "that is all"]
    assert words(body(by, planned_by, by_rules=False)) == ["", ""]


def test_answers_of_versions_that_noted_only_names_are_told_by_these() -> None:
    assert words(body("rules")) == ["why", "that is all"] == words(body("agent-7", "agent-7"))
    assert words(body("language model M")) == ["", ""] == words(body("rules", "agent-7"))
