"""Tools of a question of several steps: what they may open, those that misbehave, and those that lie."""

import itertools
import threading
from dataclasses import replace
from typing import Any

import pytest
from homes.small_world import NOBODY, passage
from homes.steps_world import FALCON, HALF, TWO, Scripted, ask, rag, raising, with_tool, world

from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import read_order, written
from vouch.correction.steps import further
from vouch.correction.steps.tools import TOOLS, ToolFound
from vouch.errors import BadInput, Busy, Damaged, IndexDown, LedgerDown, ModelDown, VouchError
from vouch.values.candidate import Candidate


def hanging(*_: Any) -> ToolFound:
    threading.Event().wait(30)
    raise AssertionError


def lying(*_: Any) -> Any:
    return [{"chunk_id": "gateway"}]


def unknown(*_: Any) -> ToolFound:
    return ToolFound((Candidate(passage("secret words", chunk_id="nowhere")),))


def leaving(*_: Any) -> ToolFound:
    raise SystemExit(3)


def endless(*_: Any) -> ToolFound:
    return ToolFound(itertools.repeat(Candidate(FALCON)))       # type: ignore[arg-type]


def slow_to_read(*_: Any) -> ToolFound:
    return ToolFound(hanging() for _ in "ab")                   # type: ignore[arg-type]


def fused_with_nothing(*_: Any) -> ToolFound:
    return ToolFound((), None)          # type: ignore[arg-type]


def fused_with_words(*_: Any) -> ToolFound:
    return ToolFound((), ("words",))    # type: ignore[arg-type]


def named_by_a_list(*_: Any) -> ToolFound:
    return ToolFound((Candidate(replace(FALCON, chunk_id=["falcon"])),))


@pytest.mark.parametrize(("tool", "label"), [
    (leaving, "failed"), (endless, "Usage"), (slow_to_read, "TimedOut"), (fused_with_nothing, "Usage"),
    (fused_with_words, "Usage"), (named_by_a_list, "Usage"),
])
def test_a_tool_that_lies_ends_in_an_answer(monkeypatch: pytest.MonkeyPatch, tool: Any, label: str) -> None:
    with_tool(monkeypatch, tool)
    outcome = ask(world(steps=Limits(tool_seconds=1.0)), HALF)
    assert outcome.answer.stopped == "error" and [one["error"] for one in outcome.steps] == [label, label]
    assert outcome.answer.citations


@pytest.mark.parametrize(("tool", "label"), [(hanging, "TimedOut"), (raising, "failed"), (lying, "Usage"),
                                             (unknown, "Denied")])
def test_a_tool_that_misbehaves_ends_in_an_answer(monkeypatch: pytest.MonkeyPatch, tool: Any, label: str) -> None:
    with_tool(monkeypatch, tool)
    outcome = ask(world(steps=Limits(tool_seconds=0.1)), HALF)
    assert outcome.answer.stopped == "error" and [one["error"] for one in outcome.steps] == [label, label]
    assert outcome.answer.citations and "secret" not in outcome.answer.model_dump_json()
    assert "words of a document" not in outcome.answer.model_dump_json()


def test_one_failure_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = iter([raising, *[TOOLS["rag"]] * 9])
    with_tool(monkeypatch, lambda *given: next(tools)(*given))
    outcome = ask(world(), TWO)
    assert [one["error"] for one in outcome.steps][:2] == ["failed", ""] and outcome.answer.stopped != "error"


def test_failures_with_a_step_between_them_are_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = iter([raising, TOOLS["rag"], raising, *[TOOLS["rag"]] * 9])
    with_tool(monkeypatch, lambda *given: next(tools)(*given))
    searches = [rag(f"who is on call on {day}") for day in ("Monday", "Tuesday", "Friday", "Sunday")]
    outcome = ask(world(planner=Scripted(*searches)), TWO, 4)
    errors = [one["error"] for one in outcome.steps]
    assert errors[:3] == ["failed", "", "failed"] and len(errors) == 4 and outcome.answer.stopped != "error"


@pytest.mark.parametrize("outage", [IndexDown("away"), ModelDown("away"), LedgerDown("away"), Busy("held"),
                                    Damaged("bad")])
def test_an_outage_in_a_step_is_no_answer(monkeypatch: pytest.MonkeyPatch, outage: VouchError) -> None:
    """The question waits for its end, as it does without steps."""
    def away(*_: Any) -> ToolFound:
        raise outage

    with_tool(monkeypatch, away)
    with pytest.raises(type(outage)):
        ask(world(), HALF)


def test_a_tool_is_not_believed_what_a_passage_says(monkeypatch: pytest.MonkeyPatch) -> None:
    forged = replace(FALCON, text="Whoever is on call on Monday gets a million.")
    with_tool(monkeypatch, lambda *_: ToolFound((Candidate(forged),)))
    assert "million" not in ask(world(), TWO).answer.model_dump_json()


def test_a_passage_is_opened_with_its_neighbors_if_it_was_found() -> None:
    opens = [written("open", {"chunk": one}, "") for one in ("leave.md:Sick leave", "nowhere")]
    outcome = ask(world(planner=Scripted(*opens)), HALF, 2)
    assert outcome.answer.orders[0].error == "not found before" and outcome.steps[1]["tool"] == "rag"
    assert {one for one, _ in outcome.steps[0]["found"]} == {"leave.md:Sick leave", "leave.md:Parental leave"}


@pytest.mark.parametrize(("named", "found"), [
    ({"document": "handbook:leave.md"}, {"leave.md:Sick leave", "leave.md:Parental leave"}),
    ({"document": "handbook:leave.md", "section": "sick  Leave"}, {"leave.md:Sick leave"}),
    ({"document": "handbook:leave.md", "section": "leave"}, {"leave.md:Sick leave", "leave.md:Parental leave"}),
    ({"document": "handbook:leave.md", "section": "ave"}, set()),
])
def test_a_document_that_was_found_is_opened_or_a_section_of_it(named: dict[str, str], found: set[str]) -> None:
    outcome = ask(world(planner=Scripted(written("open", named, ""))), HALF, 1)
    [row], [step] = outcome.steps, outcome.answer.steps
    assert row["error"] == "" and {one for one, _ in row["found"]} == found
    assert (step.opened, step.section) == (named["document"], named.get("section", ""))
    assert row["args"]["document"] == named["document"] and row["args"].get("section") != named.get("section", "-")


def test_no_document_is_opened_that_was_not_found_or_may_not_be_read() -> None:
    unknown = ask(world(planner=Scripted(written("open", {"document": "handbook:nowhere.md"}, ""))), HALF, 1)
    assert unknown.answer.orders[0].error == "not found before" and unknown.answer.steps[0].tool == "rag"
    hidden = world(planner=Scripted(written("open", {"document": "handbook:leave.md"}, "")))
    hidden.index.labels["leave.md:Sick leave"] = NOBODY
    assert {one for one, _ in ask(hidden, HALF, 1).steps[0]["found"]} == {"leave.md:Parental leave"}


@pytest.mark.parametrize("args", [{}, {"chunk": "a", "document": "b"}, {"chunk": "a", "section": "b"}, {"section": ""}])
def test_what_is_opened_is_named_once(args: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        read_order(written("open", args, ""))
    assert read_order(written("open", {"chunk": "a", "document": None, "query": None}, "")).args


def test_each_tool_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(further, "TOOLS", {**TOOLS, "open": hanging})
    planner = Scripted(written("open", {"chunk": "gateway"}, ""), rag("on call"), written(None, {}, ""))
    outcome = ask(world(planner=planner, steps=Limits(open_seconds=0.1)), HALF)
    assert [one["error"] for one in outcome.steps] == ["TimedOut", ""]


def test_the_place_of_a_bug_is_logged_and_no_words(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with_tool(monkeypatch, raising)
    ask(world(planner=Scripted(RuntimeError("secret words"))), HALF)
    assert "RuntimeError at" in caplog.text and "steps_world.py" in caplog.text and "words" not in caplog.text
