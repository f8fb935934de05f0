"""Steps by a language model: its orders are checked, one is repaired, and the rules take the step otherwise."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from homes.small_world import SmallWorld, handbook, passage, small_world
from model_fakes.chat_server import ChatServer, Part, fails, hangs, says
from model_fakes.language_model import model, models

from vouch.adapters.language_model.planner import LanguageModelPlanner
from vouch.answering.spending import spent_on_answer
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import written
from vouch.correction.planning.planners import SHIPPED
from vouch.errors import ModelDown
from vouch.ports.language import Situation

pytestmark = pytest.mark.integration

CHAIN = "Who leads the team that owns the payment gateway?"
ROWS = [
    passage("The payment gateway is owned by the Falcon team.", chunk_id="gateway", path="gateway.md",
            title="Payment gateway", section=("Payment gateway",)),
    passage("Falcon is on call from Monday to Friday. Its lead is Mara Lind.", chunk_id="falcon", path="falcon.md",
            title="Falcon", section=("Falcon", "People")),
    *handbook(),
]
LED = says(written("rag", {"query": "leads Falcon", "source": None, "chunk": None}, "Falcon owns it"))
DONE = says(written(None, {"query": None}, "Mara Lind leads Falcon", final=True))


@contextmanager
def world(*parts: Part, most_tokens: int = 20_000, most_calls: int = 3, seconds: float = 8.0, **limits: Any) -> (
        Iterator[tuple[SmallWorld, ChatServer]]):
    with ChatServer(parts) as server:
        planner = LanguageModelPlanner(models(model(server.url), most_calls=most_calls), seconds=seconds,
                                       most_tokens=most_tokens)
        yield small_world(ROWS, planner=planner, steps=Limits(**limits)), server


def ask(made: SmallWorld, steps: int = 4, text: str = CHAIN) -> Outcome:
    with spent_on_answer():
        return answer_question(replace(made.ask(text), steps=steps), made.components)


def told(server: ChatServer, number: int = -1) -> str:
    return str(server.requests[number]["messages"][-1]["content"])


def test_its_orders_are_carried_out_and_kept_with_their_thoughts() -> None:
    with world(LED, DONE) as (made, server):
        outcome = ask(made)
    [step] = outcome.answer.steps
    assert (step.by, step.query, step.thought) == ("language model big-one", "leads Falcon", "Falcon owns it")
    assert outcome.steps[0]["planner"] == "language model big-one" and "falcon" in outcome.given
    assert "owns it" not in outcome.answer.answer and "Falcon owns it" not in json.dumps(outcome.steps)
    [form] = {json.dumps(body["response_format"]) for body in server.requests}
    assert '"strict": true' in form


def test_it_is_told_the_situation_and_no_passage() -> None:
    with world(says(written("rag", {"query": "badges"}, "")), LED) as (made, server):
        ask(made)
    assert CHAIN in told(server) and '"document": "handbook:gateway.md"' in told(server)
    assert 'rag {"query": "badges"}' in told(server) and "Steps left: 3" in told(server)
    assert "is owned by" not in told(server) and "Its lead is" not in told(server)


def test_it_is_told_the_instructions_of_the_actor_that_serves() -> None:
    with world(says(written("rag", {"query": "badges"}, "")), LED) as (made, server):
        trained = replace(made.components, actor=replace(SHIPPED, instructions="Search for names alone."))
        ask(replace(made, components=trained))
    assert "Search for names alone." in server.requests[-1]["messages"][0]["content"]


def test_one_that_is_not_valid_is_repaired_once() -> None:
    with world(says(written("rag", {"audience": "all"}, "")), LED, DONE) as (made, server):
        answer = ask(made).answer
    assert [one.by for one in answer.steps] == ["language model big-one"]
    assert (answer.orders[0].step, answer.orders[0].error) == (1, "order not valid")
    assert "could not be used" not in told(server, 0) and "could not be used" in told(server, 1)


@pytest.mark.parametrize(("part", "asked", "label"), [
    (says("Search for Falcon."), 2, "order not valid"), (says('{"tool": "web"}'), 2, "order not valid"),
    (fails(500), 1, "ModelDown"), (says(None), 1, "ModelDown"),
])
def test_the_rules_take_the_step_where_it_does_not(part: Part, asked: int, label: str) -> None:
    with world(part) as (made, server):
        answer = ask(made, 1).answer
    assert [one.by for one in answer.steps] == ["rules"] and len(server.requests) == asked
    assert [one.error for one in answer.orders] == [label] * asked


def test_a_model_that_hangs_holds_no_step_longer_than_an_order_may_take() -> None:
    with world(hangs, tool_seconds=0.2) as (made, _):
        answer = ask(made, 1).answer
    assert [one.by for one in answer.steps] == ["rules"] and [one.error for one in answer.orders] == ["TimedOut"]


def test_thoughts_before_the_order_are_left_out() -> None:
    with world(says(f"<think>{written(None, {}, '', final=True)}</think>\n{written('rag', {'query': 'x'}, 'y')}"),
               DONE) as (made, _):
        assert [one.query for one in ask(made).answer.steps] == ["x"]


def test_its_orders_leave_the_calls_of_the_writer_alone_and_are_paid_with_the_answer() -> None:
    badges = says(written("rag", {"query": "badges"}, ""))
    with world(badges, LED, most_calls=1) as (made, _), spent_on_answer() as spent:
        answer = answer_question(replace(made.ask(CHAIN), steps=4), made.components).answer
        assert spent.begun == 0 and spent.total().calls == 2
    assert (answer.tokens.calls, answer.tokens.prompt) == (2, 642)


def test_once_the_tokens_are_used_up_the_rules_go_on() -> None:
    searching = [says(written("rag", {"query": f"x {n}"}, "")) for n in range(4)]
    with world(*searching, most_tokens=600) as (made, server):
        answer = ask(made).answer
    assert len(server.requests) == 2
    assert [one.by for one in answer.steps][:3] == ["language model big-one"] * 2 + ["rules"]


def test_where_no_model_may_be_asked_none_is() -> None:
    with world(LED) as (made, server), spent_on_answer(allowed=False):
        answer_question(replace(made.ask(CHAIN), steps=2), made.components)
        with pytest.raises(ModelDown):
            made.components.planner.next_step(Situation(CHAIN, [], [], [], [], 1))       # type: ignore[union-attr]
    assert server.requests == []

