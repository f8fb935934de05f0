"""Orders of planners: invalid ones, loops, how much a planner is told, and what the ledger keeps of what it said."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from homes.small_world import passage, small_world
from homes.steps_world import CHAIN, HALF, TWO, Scripted, ask, rag, with_tool, world

from vouch.answering.part_notes import NOT_SEARCHED, NOTHING
from vouch.correction.loop import answer_question
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import Args, InvalidOrder, read_order, written
from vouch.correction.steps import further
from vouch.correction.steps.tools import Bench, ToolFound, search
from vouch.errors import BadInput, ModelDown, TimedOut
from vouch.ports.language import Situation


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_a_planner_that_ends_the_program_is_one_that_failed(raised: BaseException) -> None:
    class Leaves(Scripted):
        def next_step(self, situation: Situation, problem: str = "") -> str:
            raise raised

    outcome = ask(world(planner=Leaves()), TWO)
    assert outcome.steps and {one["planner"] for one in outcome.steps} == {"rules"}
    assert {one.error for one in outcome.answer.orders if one.by == "scripted"} == {"PluginEnded"}


def test_a_planner_that_is_called_like_the_rules_is_told_apart_from_them() -> None:
    class Named(Scripted):
        name = "rules"

    by_model, by_rules = (ask(world(planner=planner), TWO).answer for planner in (Named(rag("on call")), None))
    assert [(one.by, one.by_rules) for one in by_model.steps][:2] == [("rules", False), ("rules", True)]
    assert by_rules.steps and all(one.by_rules for one in (*by_rules.steps, *by_rules.orders))


@pytest.mark.parametrize(("orders", "problem"), [
    ([rag("on call"), rag(" On  CALL ")], "the same call twice"),
    ([rag("on call"), written("open", {"chunk": "nowhere"}, "")], "not found before"),
])
def test_one_that_repeats_itself_or_opens_what_was_not_found_gets_one_repair_and_then_the_rules_take_the_step(
    orders: list[str], problem: str
) -> None:
    planner = Scripted(*orders)
    outcome = ask(world(planner=planner), TWO, 8)
    assert outcome.answer.action == "answered" and outcome.answer.stopped == "covered"
    assert [one.by for one in outcome.answer.steps][:2] == ["scripted", "rules"]
    assert [one.error for one in outcome.answer.orders if one.by == "scripted"][:2] == [problem, problem]
    assert planner.problems == ["", "", problem]


def test_a_call_that_took_too_long_may_be_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    late = iter([TimedOut("late")])

    def tool(bench: Bench, args: Args) -> ToolFound:
        for error in late:
            raise error
        return search(bench, args)

    with_tool(monkeypatch, tool)
    outcome = ask(world(planner=Scripted(rag("on call Monday"))), HALF, 2)
    assert [one["error"] for one in outcome.steps] == ["TimedOut", ""] and not outcome.answer.orders


def test_a_query_without_words_of_a_part_is_for_what_is_open_and_searches_no_part_by_itself() -> None:
    answer = ask(world(planner=Scripted(rag("Zorblax"))), HALF, 1).answer
    assert NOT_SEARCHED in answer.warnings[0] and not any(NOTHING in one for one in answer.warnings), answer.warnings


@pytest.mark.parametrize("order", [
    '{"tool": "rag", "tool": "open", "args": {"query": "x"}, "stop": false, "final": false, "thought": ""}',
    '{"tool": "rag", "args": {"query": "x", "query": "y"}, "stop": false, "final": false, "thought": ""}',
])
def test_a_field_that_stands_there_twice_is_no_order(order: str) -> None:
    with pytest.raises(InvalidOrder, match="not JSON"):
        read_order(order)


@pytest.mark.parametrize("order", [
    "no json", "[]", "{}", written("rag", {}, ""), written("rag", {"query": "x", "audience": "all"}, ""),
    json.dumps({"tool": "web", "args": {}, "stop": False, "final": False, "thought": ""}),
    json.dumps({"tool": "rag", "args": {"query": "x"}, "stop": True, "final": False, "thought": ""}),
    json.dumps({"tool": "rag", "args": {"query": "x"}, "stop": "no", "final": False, "thought": ""}),
    json.dumps({"tool": None, "args": {}, "stop": False, "final": False, "thought": ""}),
    json.dumps({"tool": None, "args": {}, "stop": True, "final": True, "thought": ""}),
    "[" * 100_000, ModelDown("down"), RuntimeError("a bug"),
])
def test_an_order_that_is_not_valid_gets_one_repair_and_then_the_rules_take_the_step(order: Any) -> None:
    planner = Scripted(order)
    outcome = ask(world(planner=planner), TWO)
    assert outcome.answer.action == "answered" and {one.by for one in outcome.answer.steps} == {"rules"}
    tries = 1 if isinstance(order, Exception) else 2        # what gave no order cannot repair it
    assert len(planner.problems) == tries * len(outcome.steps) and planner.problems[0] == ""
    assert isinstance(order, Exception) or planner.problems[1]


@pytest.mark.parametrize(("order", "problem"), [
    ("Search for Falcon.", "the order is not JSON"), ("x" * 10_001, "the order has more than 10000 characters"),
    (written("rag", {}, ""), "query is missing"), (written("rag", {"Zorblax": "Falcon"}, ""), "a field is not known"),
    (written("web", {"query": "Falcon"}, ""), "that tool is not for this planner"),
    (json.dumps({"tool": "Zorblax", "args": {}, "stop": False, "final": False, "thought": ""}), "tool must be 'rag'"),
    (json.dumps({"tool": None, "args": {}, "stop": True, "final": True, "thought": ""}), "one of these alone"),
    (written("rag", {"query": "Falcon\0"}, ""), "a zero character"), (written(None, {}, "\0"), "a zero character"),
    (json.dumps({"tool": None, "args": {"a": ["\ud800"]}, "stop": True, "final": False, "thought": ""}), "half of a"),
])
def test_why_an_order_is_not_valid_is_kept_and_no_word_of_it(order: str, problem: str) -> None:
    said = ask(world(planner=Scripted(order)), TWO, 1).answer.orders
    assert {one.error for one in said} == {"order not valid"} and all(problem in one.problem for one in said)
    assert not any(word in one.problem for one in said for word in ("Zorblax", "Falcon"))


def test_the_words_of_a_planners_own_error_are_not_kept() -> None:
    said = ask(world(planner=Scripted(BadInput("words of a document"))), TWO, 1).answer.orders
    assert [(one.error, one.problem) for one in said] == [("BadInput", "")]


def test_a_repaired_order_counts() -> None:
    outcome = ask(world(planner=Scripted("no json", rag("who is on call on Monday"))), TWO, 1)
    assert [one.by for one in outcome.answer.steps] == ["scripted"]


def test_if_not_even_the_rules_can_say_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(further, "RulePlanner", lambda *_: Scripted("no json"))
    outcome = ask(world(), TWO)
    assert outcome.steps == () and outcome.answer.action == "answered_with_caution"
    assert outcome.answer.stopped == "error" and any("something failed" in one for one in outcome.answer.warnings)
    assert {one.error for one in outcome.answer.orders} == {"order not valid"}


def test_what_a_planner_is_told_is_bounded() -> None:
    long = "Zed " + "Quite Unheard Of Name " * 500
    rows = [passage(f"{long} on call number {n}.", chunk_id=f"c{n}", path=f"{n}.md", title=long) for n in range(30)]
    orders = [rag(f"on call {'x' * 900} {n}") for n in range(8)]
    planner = Scripted(*[order for one in orders for order in ("no json", one)])
    answer_question(replace(small_world().ask(f"Where is {' '.join(f'isle{n}' for n in range(400))}?"), steps=8),
                    small_world(rows, planner=planner, steps=Limits(steps=8, searches=8)).components)
    assert len(planner.seen) == 16 and 14_500 < max(len(repr(one)) for one in planner.seen) < 15_500
    last = planner.seen[-1]
    assert (len(last.seen), len(last.failures), len(last.calls)) == (6, 7, 7)
    assert all(len(one.lacks) <= 12 and len(one.words) <= 4 for one in last.seen)


def test_a_planner_is_told_the_last_failures_alone() -> None:
    """Two orders could not be used before each of the first two steps, one before each of six more: ten in all."""
    rows = [passage(f"Isle {n} is on call.", chunk_id=f"c{n}", path=f"{n}.md", title=f"Isle {n}") for n in range(30)]
    planner = Scripted(*["no json"] * 4, *[order for n in range(6) for order in ("no json", rag(f"on call {n}"))])
    answer_question(replace(small_world().ask("Where is Atlantis, and where is Avalon?"), steps=8),
                    small_world(rows, planner=planner, steps=Limits(steps=8, searches=8)).components)
    told = [len(one.failures) for one in planner.seen]
    assert told == [0, 0, 2, 2, *[min(n, 8) for n in range(4, 10) for _ in "ab"]], told


def test_the_ledger_gets_no_words() -> None:
    words: Sequence[str] = ("Falcon", "weeks", "call", "gateway is")
    assert not any(word in json.dumps(ask(world(), text).steps) for text in (TWO, CHAIN) for word in words)


def test_the_ledger_gets_no_words_that_a_planner_writes_as_a_place() -> None:
    said = "Parents get 12 weeks of paid leave"
    orders = [written("open", {"document": said, "section": "x"}, ""), rag("on call"),
              written("open", {"chunk": said}, ""),
              written("rag", {"query": "a", "source": said, "path": "Its lead is Mara Lind"}, "")]
    kept = ask(world(planner=Scripted(*orders)), HALF).steps
    assert len(kept) == 4 and not any(word in json.dumps(kept) for word in ("Parents", "Mara"))
    assert kept[1]["args"].keys() == {"query", "source", "path", "words_of"}


def test_of_a_search_the_ledger_keeps_the_place_of_what_it_found() -> None:
    order = written("rag", {"query": "Monday Falcon", "source": "handbook", "path": "falcon.md"}, "")
    [row] = ask(world(planner=Scripted(order)), TWO, 1).steps
    assert (row["args"]["source"], row["args"]["path"]) == ("handbook", "falcon.md")
