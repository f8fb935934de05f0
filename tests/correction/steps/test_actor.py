"""The planner by rules with the actor that comes with vouch, and with others."""

import json
import random
from dataclasses import replace

from homes.small_world import SmallWorld, handbook, passage, small_world

from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.order import LONGEST_QUERY, RagArgs, call_name, read_order, written
from vouch.correction.planning.planners import NOTHING, PLANNED, SHIPPED, THOUGHTS, Actor, RulePlanner, Template
from vouch.ports.language import PartSeen, Seen, Situation

WORDS = ("falcon", "gateway", "owner", "Oslo", "lead", "Mara Lind", "on call", "policy")
QUESTION = "Who leads the team that owns the payment gateway?"


def situation(draw: random.Random) -> Situation:
    def some(most: int, least: int = 0) -> tuple[str, ...]:
        return tuple(draw.sample(WORDS, draw.randint(least, most)))

    parts = [PartSeen(" ".join(some(4, 1)), draw.random() < 0.3, draw.random() < 0.5, draw.random() < 0.8)
             for _ in range(draw.randint(1, 3))]
    parts[0] = replace(parts[0], wanted=True)
    seen = [Seen(f"c{n}", "T", draw.random(), some(4), some(3)) for n in range(draw.randint(0, 6))]
    made = [call_name("rag", RagArgs(query=" ".join((*one.lacks, *one.words)))) for one in seen if one.words]
    calls = draw.sample(made, draw.randint(0, len(made)))
    return Situation(QUESTION, parts, seen, calls, (), draw.randint(1, 8))


def without_templates(told: Situation) -> str:
    """What the rules order, written out."""
    def is_new(query: str) -> bool:
        return bool(query.strip()) and call_name("rag", RagArgs(query=query[:LONGEST_QUERY])) not in told.calls

    wanted = [part for part in told.parts if part.wanted]
    if all(part.covered for part in wanted):
        return written(None, {}, "every part has its evidence", final=True)
    for part in told.parts:
        if not part.covered and not part.tried and is_new(part.text):
            return written("rag", {"query": part.text}, "a part in its own words")
    open_part = next(part.text for part in wanted if not part.covered)
    bridges = [((*(one.lacks or (open_part,)), *one.words[:3]), "a bridge from what was found")
               for one in told.seen if one.words]
    bridges += [((*(one.lacks or (open_part,)), name), "a name that was found, with what is lacking")
                for one in told.seen for name in one.words[:3]]
    for words, thought in bridges:
        if is_new(query := " ".join(words)[:LONGEST_QUERY].strip()):
            return written("rag", {"query": query}, thought)
    return written(None, {}, "nothing is left to try")


def test_the_actor_that_comes_with_vouch_orders_what_the_rules_say_byte_for_byte() -> None:
    draw, seen = random.Random(7), set[str]()
    for _ in range(3000):
        told = situation(draw)
        said = RulePlanner().next_step(told)
        assert said == without_templates(told)
        seen.add(json.loads(said)["thought"])
    assert len(seen) == 5, "all ways were gone"
    assert RulePlanner().name == "rules" and small_world().components.actor == SHIPPED


def test_each_form_makes_a_query_of_its_own_and_never_a_wrong_order() -> None:
    told = Situation(QUESTION, [PartSeen(QUESTION, False, True)],
                     [Seen("gateway", "Payment gateway", 0.4, ("Falcon", "Oslo"), ("leads",))], (), (), 4)
    found = {form: json.loads(RulePlanner(Actor((Template(form),))).next_step(told)) for form in THOUGHTS}
    assert {form: said["args"].get("query", said["args"].get("chunk")) for form, said in found.items()} == {
        "part": None, "bridge": "leads Falcon Oslo", "name": "leads Falcon", "names": "Falcon Oslo",
        "whole": f"{QUESTION} Falcon Oslo", "open": "gateway",
    }
    draw = random.Random(8)
    for form in THOUGHTS:
        for _ in range(200):
            read_order(RulePlanner(Actor((Template(form, draw.randint(1, 6), draw.randint(1, 4)),)))
                       .next_step(situation(draw)))


def test_its_limits_hold() -> None:
    seen = [Seen(f"c{n}", "T", 0.4, (f"Name{n}", "Other"), ("leads",)) for n in range(3)]
    told = Situation(QUESTION, [PartSeen(QUESTION, False, True)], seen, (), (), 8)
    planner, calls = RulePlanner(Actor((Template("name", 2, 1),))), list[str]()
    while (said := read_order(planner.next_step(replace(told, calls=calls)))).args:
        calls.append(call_name("rag", said.args))
    assert len(calls) == 2 and said.thought == NOTHING
    one = Actor((Template("name"),), steps=1)
    assert read_order(RulePlanner(one).next_step(replace(told, calls=calls[:1]))).thought == PLANNED


def world(**changes: object) -> SmallWorld:
    gateway = passage("Who leads the payment gateway? It is owned by the Falcon team.", chunk_id="gateway",
                      path="gateway.md", title="Payment gateway", section=("Payment gateway",))
    falcon = passage("Its lead is Mara Lind.", chunk_id="falcon", path="falcon.md", title="Falcon", section=("Falcon",))
    return small_world([gateway, falcon, *handbook()], **changes)


def ask(made: SmallWorld) -> Outcome:
    return answer_question(replace(made.ask("Who leads the payment gateway?"), steps=4), made.components)


def test_an_actor_that_follows_goes_on_where_the_first_passage_looks_likely_enough() -> None:
    shipped, follows = ask(world()), ask(world(actor=Actor(follows=True), planned_by="agent-1"))
    assert shipped.answer.stopped == "covered" and not shipped.answer.steps
    assert follows.answer.stopped == "covered" and [step.by for step in follows.answer.steps] == ["agent-1"]
    assert (shipped.answer.planned_by, follows.answer.planned_by) == ("", "agent-1")
    assert "falcon" in {row["chunk_id"] for row in follows.candidates}


def test_a_planner_that_is_a_model_takes_no_more_steps_than_its_actor() -> None:
    class Searches:
        name, number = "searches", 0

        def next_step(self, situation: Situation, problem: str = "") -> str:
            self.number += 1
            return written("rag", {"query": f"badge {self.number}"}, "")

    outcome = ask(world(planner=Searches(), actor=Actor(follows=True, steps=2)))
    assert len(outcome.steps) == 2 and outcome.answer.stopped == "stop"
    assert [one.thought for one in outcome.answer.orders] == [PLANNED]


def test_an_agent_is_named_where_steps_were_to_be_taken_though_none_was_and_nowhere_else() -> None:
    made = world(planned_by="agent-1")
    none = ask(made).answer
    assert (none.steps, none.stopped, none.planned_by) == ([], "covered", "agent-1")
    unasked = answer_question(made.ask("Who leads the payment gateway?"), made.components).answer
    assert (unasked.stopped, unasked.planned_by) == ("", "")


def test_a_planner_that_is_a_model_is_told_the_instructions() -> None:
    class Told:
        name, seen = "told", list[str]()

        def next_step(self, situation: Situation, problem: str = "") -> str:
            self.seen.append(situation.instructions)
            return written(None, {}, "")

    planner = Told()
    made = world(planner=planner, actor=Actor(follows=True, instructions="Name one thing at a time."))
    assert ask(replace(made, components=replace(made.components, planned_by="agent-1"))).answer.planned_by == "agent-1"
    planner.seen.clear()
    assert ask(made).answer.stopped == "stop" and planner.seen == ["Name one thing at a time."]
