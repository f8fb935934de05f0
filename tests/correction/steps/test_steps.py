"""Questions of several steps over a small handbook: when steps are taken, and the ways in which they end."""

from dataclasses import replace
from typing import Any

import pytest
from homes.small_world import NOBODY, passage, small_world
from homes.steps_world import CHAIN, HALF, TWO, Scripted, ask, rag, raising, with_tool, world

from vouch.answering.answer import ended_early
from vouch.correction.loop import answer_question
from vouch.correction.planning.order import written
from vouch.correction.steps.tools import TOOLS, ToolFound


def test_without_steps_nothing_is_different() -> None:
    for text in (TWO, CHAIN, HALF, "How many weeks of paid leave do parents get?"):
        plain = answer_question(world().ask(text), world().components)
        body = plain.answer.model_dump(mode="json")
        assert "steps" not in body and "stopped" not in body and plain.steps == ()
        assert set(body["timings_ms"]) == {
            "retrieve", "fuse", "expand", "rerank", "evaluate", "refine", "pack", "write", "verify", "total"}


def test_a_question_that_its_first_search_settles_takes_no_step() -> None:
    plain, allowed = (ask(world(), "How many weeks of paid leave do parents get?", steps) for steps in (0, 4))
    differs = ("timings_ms", "stopped", "evidence", "verdict")         # the writer is given more of what was found
    bodies = [{k: v for k, v in one.answer.model_dump().items() if k not in differs} for one in (plain, allowed)]
    given = [[each.chunk_id for each in one.answer.evidence] for one in (plain, allowed)]
    assert given[0] == given[1][: len(given[0])] and bodies[0] == bodies[1]
    assert allowed.steps == () and allowed.answer.stopped == "covered"


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
    assert any(one == ended_early("budget", 1, "steps") for one in ask(world(), HALF, 1).answer.warnings)


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
                       searched_as=TWO)
    for model in ("some-model", "rules-7b"):
        completed = replace(question, understood_by=model)
        asked = {one.query for one in answer_question(completed, made).answer.steps}
        assert asked and asked == {one.query for one in ask(world(), TWO).answer.steps}
    rules = replace(question, understood_by="rules, with titles")
    assert {one.query for one in answer_question(rules, made).answer.steps} != asked


def test_permissions_that_change_while_it_goes_on_send_it_round_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world()

    def revoking(*given: Any) -> ToolFound:
        found = TOOLS["rag"](*given)
        made.index.labels["falcon"] = NOBODY
        return found

    with_tool(monkeypatch, revoking)
    outcome = ask(made, TWO)
    assert "falcon" not in outcome.given and "Monday to Friday" not in outcome.answer.model_dump_json()


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
