"""A small handbook for questions of several steps, planners that say what they are told to, and tools to plant."""

from dataclasses import replace
from typing import Any

import pytest

from homes.small_world import SmallWorld, handbook, passage, small_world
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.order import written
from vouch.correction.steps import further
from vouch.correction.steps.tools import TOOLS, ToolFound
from vouch.ports.language import Situation

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


def with_tool(monkeypatch: pytest.MonkeyPatch, tool: Any) -> None:
    monkeypatch.setattr(further, "TOOLS", {**TOOLS, "rag": tool})


def raising(*_: Any) -> ToolFound:
    raise RuntimeError("words of a document")
