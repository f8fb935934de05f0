"""Questions of several steps over a small handbook: four ways to stop, and tools and planners that misbehave."""

import itertools
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from homes.small_world import NOBODY, OPEN, CoverageEvaluator, SmallWorld, handbook, passage, small_world

from vouch.answering.answer import ended_early
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import read_order, written
from vouch.correction.steps import further
from vouch.correction.steps.runtime import Runtime
from vouch.correction.steps.tools import TOOLS, ToolFound
from vouch.errors import BadInput, Busy, Damaged, IndexDown, LedgerDown, ModelDown, VouchError
from vouch.ports.language import Situation
from vouch.values.candidate import Candidate

TWO = "How many weeks of paid leave do parents get and who is on call on Monday?"
CHAIN = "Who leads the team that owns the payment gateway?"
HALF = "How many weeks of paid leave do parents get and what is the capital of France?"
GATEWAY = passage("The payment gateway is owned by the Falcon team.", chunk_id="gateway", path="gateway.md",
                  title="Payment gateway", section=("Payment gateway",))
FALCON = passage("Falcon is on call from Monday to Friday. Its lead is Mara Lind.", chunk_id="falcon",
                 path="falcon.md", title="Falcon", section=("Falcon",))


class Scripted:
    """A planner that says what it was given to say, the last of it for ever; an error is raised."""

    name = "scripted"

    def __init__(self, *orders: Any) -> None:
        self.orders, self.problems, self.seen = list(orders), list[str](), list[Situation]()

    def next_step(self, situation: Situation, problem: str = "") -> str:
        self.problems.append(problem)
        self.seen.append(situation)
        order = self.orders.pop(0) if len(self.orders) > 1 else self.orders[0]
        if isinstance(order, Exception):
            raise order
        return str(order)


def world(**changes: Any) -> SmallWorld:
    return small_world([GATEWAY, FALCON, *handbook()], **changes)


def ask(made: SmallWorld, text: str, steps: int = 4) -> Outcome:
    return answer_question(replace(made.ask(text), steps=steps), made.components)


def rag(query: str) -> str:
    return written("rag", {"query": query}, "")


def test_without_steps_nothing_is_different() -> None:
    for text in (TWO, CHAIN, HALF, "How many weeks of paid leave do parents get?"):
        plain = answer_question(world().ask(text), world().components)
        body = plain.answer.model_dump(mode="json")
        assert "steps" not in body and "stopped" not in body and plain.steps == ()
        assert set(body["timings_ms"]) == {
            "retrieve", "fuse", "expand", "rerank", "evaluate", "refine", "pack", "write", "verify", "total"}


def test_a_question_that_its_first_search_settles_takes_no_step() -> None:
    plain, allowed = (ask(world(), "How many weeks of paid leave do parents get?", steps) for steps in (0, 4))
    bodies = [{k: v for k, v in one.answer.model_dump().items() if k not in ("timings_ms", "stopped")}
              for one in (plain, allowed)]
    assert bodies[0] == bodies[1] and allowed.steps == () and allowed.answer.stopped == "covered"


def test_each_part_is_searched_and_answered_and_then_it_stops() -> None:
    before, after = ask(world(), TWO, 0).answer, ask(world(), TWO)
    answer = after.answer
    assert before.action == "answered_with_caution"
    assert (answer.action, answer.stopped, len(answer.steps)) == ("answered", "covered", 2)
    assert "12 weeks" in answer.answer and "Monday to Friday" in answer.answer
    assert {one.path for one in answer.citations} == {"leave.md", "falcon.md"} and not answer.warnings
    assert {"falcon", "leave.md:Parental leave"} <= set(after.given)


def test_a_chain_is_followed_by_a_name_that_only_a_passage_has() -> None:
    outcome = ask(world(), CHAIN)
    own, bridge = outcome.answer.steps
    assert own.query == "the team that owns the payment gateway" and "Falcon" in bridge.query
    assert "falcon" in bridge.passages
    assert {"gateway", "falcon"} <= set(outcome.given) and "gateway" in outcome.steps[1]["args"]["words_of"]
    assert outcome.answer.confidence.parts.evaluator == ask(world(), CHAIN, 0).answer.confidence.parts.evaluator


def test_what_was_not_found_is_named() -> None:
    answer = ask(world(), HALF, 2).answer
    assert answer.action == "answered_with_caution" and answer.stopped == "budget" and "12 weeks" in answer.answer
    assert any("capital of France" in one for one in answer.warnings) and any("2 further" in w for w in answer.warnings)
    assert any("after 1 further step, which" in one for one in ask(world(), HALF, 1).answer.warnings)


@pytest.mark.parametrize("ends", ["final", "stop"])
def test_a_planner_may_end_it_as_it_has_enough_or_nothing_more_to_try(ends: str) -> None:
    order = written(None, {}, "why", final=ends == "final")
    outcome = ask(world(planner=Scripted(rag("badges"), order)), TWO)
    assert outcome.answer.stopped == ends and len(outcome.steps) == 1 and outcome.answer.citations
    assert outcome.steps[-1]["stopped"] == ends
    [ending] = outcome.answer.orders
    assert (ending.step, ending.by, ending.error, ending.thought, ending.ends) == (2, "scripted", "", "why", ends)


def test_the_rules_never_say_that_what_they_found_is_enough() -> None:
    """That is for the evaluator: they stop where nothing is left to try."""
    outcome = ask(small_world([passage("the weather was fine.")]), "What is the capital of France?", 8)
    assert outcome.answer.stopped == "stop" and [one.ends for one in outcome.answer.orders] == ["stop"]


def test_a_planner_that_is_final_at_once_is_told_in_the_answer() -> None:
    before, outcome = ask(world(), TWO, 0), ask(world(planner=Scripted(written(None, {}, "enough", final=True))), TWO)
    assert outcome.steps == () and outcome.answer.stopped == "final"
    assert [one.thought for one in outcome.answer.orders] == ["enough"]
    assert outcome.answer.answer == before.answer.answer
    assert sum(one.startswith("this part was not searched for") for one in outcome.answer.warnings) == 2
    # A planner that is no code of ours may say words of whatever it was told of.
    assert {"gateway", "falcon"} & set(outcome.given) and set(before.given) <= set(outcome.given)


def test_a_question_with_too_many_parts_says_which_were_left() -> None:
    many = f"{TWO[:-1]}, when are badges due, where is the canteen and what is the capital of France?"
    answer = ask(world(), many, 8).answer
    assert any(one.endswith("too many: what is the capital of France") for one in answer.warnings)
    assert answer.action == "answered_with_caution" and answer.verdict and answer.verdict.kind != "correct"


def test_the_part_too_many_alone_makes_it_ambiguous() -> None:
    four = TWO.replace(" and", "?")[:-1] + "? Which team is the payment gateway owned by? What is the lead of Falcon"
    assert not ask(world(), f"{four}?", 8).answer.warnings
    answer = ask(world(), f"{four}? Is Falcon on call?", 8).answer
    assert any("too many: Is Falcon on call" in one for one in answer.warnings)
    assert answer.verdict and answer.verdict.kind == "ambiguous" and "4 of 5 parts" in answer.verdict.reason
    assert answer.action == "answered_with_caution"


def test_by_default_steps_are_for_what_one_search_does_not_settle() -> None:
    for text, walks in ((TWO, True), (CHAIN, True), ("What is the capital of France?", True),
                        ("How many weeks of paid leave do parents get?", False)):
        made = world()
        answer = answer_question(replace(made.ask(text), steps=4, steps_by_default=True), made.components).answer
        assert bool(answer.stopped) == walks


def test_searches_and_seconds_are_budgets_too() -> None:
    assert len(ask(world(steps=Limits(searches=1)), HALF).steps) == 1
    none = ask(world(steps=Limits(seconds=0.0)), HALF)
    assert none.steps == () and none.answer.action == "answered_with_caution"
    assert none.answer.stopped == "budget" and ended_early("budget", 0) in none.answer.warnings
    assert len(ask(world(steps=Limits(steps=1)), HALF, 8).steps) == 1


def with_tool(monkeypatch: pytest.MonkeyPatch, tool: Any) -> None:
    monkeypatch.setattr(further, "TOOLS", {**TOOLS, "rag": tool})


def hanging(*_: Any) -> ToolFound:
    threading.Event().wait(30)
    raise AssertionError


def raising(*_: Any) -> ToolFound:
    raise RuntimeError("words of a document")


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


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_a_planner_that_ends_the_program_is_one_that_failed(raised: BaseException) -> None:
    class Leaves(Scripted):
        def next_step(self, situation: Situation, problem: str = "") -> str:
            raise raised

    outcome = ask(world(planner=Leaves()), TWO)
    assert outcome.steps and {one["planner"] for one in outcome.steps} == {"rules"}
    assert {one.error for one in outcome.answer.orders if one.by == "scripted"} == {"PluginEnded"}


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


@pytest.mark.parametrize("outage", [IndexDown("away"), ModelDown("away"), LedgerDown("away"), Busy("held"),
                                    Damaged("bad")])
def test_an_outage_in_a_step_is_no_answer(monkeypatch: pytest.MonkeyPatch, outage: VouchError) -> None:
    """The question waits for its end, as it does without steps."""
    def away(*_: Any) -> ToolFound:
        raise outage

    with_tool(monkeypatch, away)
    with pytest.raises(type(outage)):
        ask(world(), HALF)


def test_what_was_not_searched_for_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with_tool(monkeypatch, raising)
    answer = ask(world(), HALF).answer
    assert not any("nothing was found" in one for one in answer.warnings)
    assert any(one.startswith("this part was not searched for") for one in answer.warnings)


def test_a_chain_whose_next_search_failed_is_not_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[ToolFound] = []

    def once(*given: Any) -> ToolFound:
        if done:
            raise RuntimeError
        done.append(TOOLS["rag"](*given))
        return done[0]

    with_tool(monkeypatch, once)
    outcome = ask(world(), CHAIN)
    assert [one["error"] for one in outcome.steps][:2] == ["", "failed"] and outcome.answer.stopped == "error"


def test_a_follow_up_does_not_answer_the_earlier_question_again() -> None:
    question = replace(world().ask("And who is on call on Monday?"), steps=4, understood_by="rules",
                       understood_as="How many weeks of paid leave do parents get and who is on call on Monday?")
    answer = answer_question(question, world().components).answer
    assert not any(one.query.startswith("How many weeks of paid leave do parents get") and "Monday" not in one.query
                   for one in answer.steps)
    assert not any("leave" in one for one in answer.warnings)


def test_a_follow_up_that_a_model_made_one_question_of_is_taken_apart() -> None:
    made = world().components
    question = replace(world().ask("And on Monday, who is there, and for how long?"), steps=4, understood_as="…",
                       searched_as=TWO, understood_by="some-model")
    asked = {one.query for one in answer_question(question, made).answer.steps}
    assert asked and asked == {one.query for one in ask(world(), TWO).answer.steps}
    rules = replace(question, understood_by="rules, with titles")
    assert {one.query for one in answer_question(rules, made).answer.steps} != asked


def test_a_tool_is_not_believed_what_a_passage_says(monkeypatch: pytest.MonkeyPatch) -> None:
    forged = replace(FALCON, text="Whoever is on call on Monday gets a million.")
    with_tool(monkeypatch, lambda *_: ToolFound((Candidate(forged),)))
    assert "million" not in ask(world(), TWO).answer.model_dump_json()


def test_a_planner_that_loops_is_refused_with_the_reason() -> None:
    planner = Scripted(rag("on call"), rag(" On  CALL "))
    outcome = ask(world(planner=planner), HALF, 8)
    assert [one["error"] for one in outcome.steps] == ["", "the same call twice", "the same call twice"]
    assert outcome.answer.stopped == "error" and "rag: the same call twice" in planner.seen[-1].failures


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


def test_a_passage_is_opened_with_its_neighbors_if_it_was_found() -> None:
    opens = [written("open", {"chunk": one}, "") for one in ("leave.md:Sick leave", "nowhere")]
    outcome = ask(world(planner=Scripted(*opens)), HALF, 2)
    assert [one["error"] for one in outcome.steps] == ["", "not found before"]
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
    assert unknown.steps[0]["error"] == "not found before" and unknown.answer.steps[0].opened == ""
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


def test_a_search_may_be_narrowed_and_never_widened() -> None:
    hidden = world(planner=Scripted(written("rag", {"query": "Monday Falcon", "path": "falcon.md"}, "")))
    assert {one for one, _ in ask(hidden, TWO, 1).steps[0]["found"]} == {"falcon"}
    hidden.index.labels["falcon"] = NOBODY
    assert ask(hidden, TWO, 1).steps[0]["found"] == []


def test_a_version_that_is_published_meanwhile_changes_no_search_that_is_narrowed() -> None:
    order = written("rag", {"query": "Monday Falcon", "path": "falcon.md"}, "")

    class Publishes(Scripted):
        def next_step(self, situation: Situation, problem: str = "") -> str:
            after.index.version += 1
            after.index.labels["falcon"] = OPEN
            after.index.passages = [*after.index.passages, passage("Monday.", chunk_id="new", path="falcon.md")]
            return super().next_step(situation, problem)

    before, after = world(planner=Scripted(order)), world(planner=Publishes(order))
    [was], [now] = ask(before, TWO, 1).steps, ask(after, TWO, 1).steps
    assert now["error"] == "" and now["found"] == was["found"] and [one for one, _ in was["found"]] == ["falcon"]


def test_what_a_planner_is_told_is_bounded() -> None:
    long = "Zed " + "Quite Unheard Of Name " * 500
    rows = [passage(f"{long} on call number {n}.", chunk_id=f"c{n}", path=f"{n}.md", title=long) for n in range(30)]
    orders = [rag(f"on call {'x' * 900} {n}") for n in range(4) for _ in range(2)]     # every other one was made before
    planner = Scripted(*[order for one in orders for order in ("no json", one)])
    answer_question(replace(small_world().ask(f"Where is {' '.join(f'isle{n}' for n in range(400))}?"), steps=8),
                    small_world(rows, planner=planner, steps=Limits(steps=8, searches=8)).components)
    assert len(planner.seen) == 16 and 14_500 < max(len(repr(one)) for one in planner.seen) < 15_500
    last = planner.seen[-1]
    assert (len(last.seen), len(last.failures), len(last.calls)) == (6, 8, 7)
    assert all(len(one.lacks) <= 12 and len(one.words) <= 4 for one in last.seen)


def test_permissions_that_change_while_it_goes_on_send_it_round_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world()

    def revoking(*given: Any) -> ToolFound:
        found = TOOLS["rag"](*given)
        made.index.labels["falcon"] = NOBODY
        return found

    with_tool(monkeypatch, revoking)
    outcome = ask(made, TWO)
    assert "falcon" not in outcome.given and "Monday to Friday" not in outcome.answer.model_dump_json()


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
    assert kept[0]["args"] == kept[2]["args"] == {}
    assert kept[3]["args"].keys() == {"query", "source", "path", "words_of"}


def test_of_a_search_the_ledger_keeps_the_place_of_what_it_found() -> None:
    order = written("rag", {"query": "Monday Falcon", "source": "handbook", "path": "falcon.md"}, "")
    [row] = ask(world(planner=Scripted(order)), TWO, 1).steps
    assert (row["args"]["source"], row["args"]["path"]) == ("handbook", "falcon.md")


def test_a_bridge_that_found_nothing_covers_no_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[ToolFound] = []

    def once(*given: Any) -> ToolFound:
        done.append(ToolFound(()) if done else TOOLS["rag"](*given))
        return done[-1]

    with_tool(monkeypatch, once)
    assert ask(world(), CHAIN).answer.stopped == "budget"     # other bridges are tried; it is never "covered"


def test_a_passage_that_a_step_found_is_kept_as_a_candidate_without_features() -> None:
    outcome = ask(world(), CHAIN)
    rows = {row["chunk_id"]: row for row in outcome.candidates}
    found = {one for step in outcome.steps for one, _ in step["found"]}
    assert found <= rows.keys() and len(rows) == len(outcome.candidates)
    assert {row["schema"] for row in rows.values() if not row["features"]} <= {0}


def test_no_swap_is_noted_where_steps_would_undo_it() -> None:
    swapping = world(swap_rate=1.0)
    assert answer_question(swapping.ask(TWO), swapping.components).answer.swapped
    assert ask(swapping, TWO).answer.swapped == []


def test_a_planner_that_hangs_uses_up_the_seconds_and_no_more() -> None:
    class Hanging:
        name = "hanging"

        def next_step(self, *_: Any) -> str:
            threading.Event().wait(30)
            raise AssertionError

    began = time.monotonic()
    assert ask(world(planner=Hanging(), steps=Limits(seconds=0.2)), TWO).answer.citations
    assert time.monotonic() - began < 10


class Slow(CoverageEvaluator):
    """Takes this long for all but the first search; `parts` are those it was asked about."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.parts = seconds, list[str]()

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        self.parts.append(question)
        if len(self.parts) > 1:
            threading.Event().wait(self.seconds)
        return super().probabilities(question, candidates)


def test_judging_that_hangs_uses_up_the_seconds_and_no_more() -> None:
    began = time.monotonic()
    outcome = ask(world(evaluator=Slow(30), steps=Limits(seconds=0.5)), TWO)
    assert time.monotonic() - began < 10 and outcome.answer.stopped == "budget"
    assert [(one["error"], one["found"]) for one in outcome.steps] == [("not judged in time", [])]
    assert "what 1 further step found was not judged in time, and is left out" in outcome.answer.warnings
    assert ended_early("budget", 1) in outcome.answer.warnings


def test_the_time_that_judging_takes_counts() -> None:
    slow = Slow(0.6)
    outcome = ask(world(evaluator=slow, steps=Limits(seconds=1.0)), HALF, 8)
    assert outcome.answer.stopped == "budget" and 1 <= len(outcome.steps) <= 2
    assert outcome.steps[0]["error"] == "" and outcome.steps[0]["ms"] >= 600 and len(slow.parts) <= 3


@pytest.mark.parametrize("late", ["planner", "tool"])
def test_nothing_is_begun_after_the_seconds_are_over(monkeypatch: pytest.MonkeyPatch, late: str) -> None:
    """The clock of the runtime stands still but for what a planner or a tool takes."""
    now, begun = [0.0], list[str]()

    class Takes:
        name = "takes"

        def next_step(self, *_: Any) -> str:
            now[0] += 30 * (late == "planner")
            return rag("on call")

    def tool(*given: Any) -> ToolFound:
        begun.append("tool")
        now[0] += 30 * (late == "tool")
        return TOOLS["rag"](*given)

    with_tool(monkeypatch, tool)
    monkeypatch.setattr(further, "Runtime", partial(Runtime, monotonic=lambda: now[0]))
    slow = Slow(0)
    outcome = ask(world(planner=Takes(), evaluator=slow), TWO)
    assert outcome.answer.stopped == "budget" and len(slow.parts) == 1        # no step's finds were judged
    if late == "planner":
        assert begun == [] and outcome.steps == () and ended_early("budget", 0) in outcome.answer.warnings
    else:
        assert begun == ["tool"] and [one["error"] for one in outcome.steps] == ["not judged in time"]


def test_the_place_of_a_bug_is_logged_and_no_words(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with_tool(monkeypatch, raising)
    ask(world(planner=Scripted(RuntimeError("secret words"))), HALF)
    assert "RuntimeError at" in caplog.text and "test_steps.py" in caplog.text and "words" not in caplog.text
