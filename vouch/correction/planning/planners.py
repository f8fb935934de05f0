"""The planners that work offline, and the actor by whose templates they form and limit queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from vouch.answering.answer import ToolName
from vouch.correction.planning.order import LONGEST_QUERY, OpenArgs, RagArgs, call_name, written
from vouch.ports.language import Planner, Situation
from vouch.values.made_by import RULES

Form = Literal["part", "bridge", "name", "names", "whole", "open"]
FORMS: tuple[Form, ...] = get_args(Form)
MOST_STEPS, MOST_PLACES, MOST_NAMES = 8, 6, 4
THOUGHTS: dict[Form, str] = {
    "part": "a part in its own words",
    "bridge": "a bridge from what was found",
    "name": "a name that was found, with what is lacking",
    "names": "names that were found, by themselves",
    "whole": "all words of a part, with names that were found",
    "open": "what stands around a passage",
}
"""Why a step is taken, by the form of its call; also what tells the form of a step that was taken."""


@dataclass(frozen=True, slots=True)
class Template:
    """One form of a call. `most`: of how many parts or passages, the nearest first; `names`: of each passage."""

    form: Form
    most: int = MOST_PLACES
    names: int = MOST_NAMES


@dataclass(frozen=True, slots=True)
class Actor:
    """`templates` are tried in turn for each step: the first that has something new is taken.

    `steps`: after so many it stops by itself. `follows`: it goes on although a passage looks likely enough, until a
    name that was found has been followed. `instructions` are for a planner that is a language model, which goes by
    all of these but the templates.
    """

    templates: tuple[Template, ...] = (Template("part"), Template("bridge", names=3), Template("name", names=3))
    steps: int = MOST_STEPS
    follows: bool = False
    instructions: str = ""


SHIPPED = Actor()
"""What comes with vouch."""


@dataclass(frozen=True, slots=True)
class Call:
    tool: ToolName
    args: dict[str, str]
    thought: str


def next_call(actor: Actor, situation: Situation) -> Call | None:
    """The first that was not made yet; None where no template has one."""
    calls = (call for template in actor.templates for call in _calls(template, situation))
    return next((call for call in calls if _is_new(call, situation)), None)


def _calls(template: Template, situation: Situation) -> Iterator[Call]:
    thought = THOUGHTS[template.form]
    if template.form == "open":
        for one in situation.seen[: template.most]:
            yield Call("open", {"chunk": one.chunk_id}, thought)
        return
    for query in _queries(template, situation):
        if query:
            yield Call("rag", {"query": query[:LONGEST_QUERY].strip()}, thought)


def _queries(template: Template, situation: Situation) -> Iterator[str]:
    if template.form == "part":
        untried = [part.text for part in situation.parts if not part.covered and not part.tried]
        yield from untried[: template.most]
        return
    open_part = next(part.text for part in situation.parts if part.wanted and not part.covered)
    for passage in [seen for seen in situation.seen if seen.words][: template.most]:
        names = passage.words[: template.names]
        lacked = passage.lacks or (open_part,)
        if template.form == "bridge":
            yield " ".join((*lacked, *names))
        elif template.form == "name":
            yield from (" ".join((*lacked, name)) for name in names)
        elif template.form == "names":
            yield " ".join(names)
        else:
            yield " ".join((open_part, *names))


def _is_new(call: Call, situation: Situation) -> bool:
    if call.tool == "open":
        return call_name("open", OpenArgs(chunk=call.args["chunk"])) not in situation.calls
    query = call.args["query"]
    return bool(query) and call_name("rag", RagArgs(query=query)) not in situation.calls


ENOUGH, PLANNED, NOTHING = "every part has its evidence", "its plan has no more steps", "nothing is left to try"


class RulePlanner:
    """Implements the Planner port. What it orders depends on the situation alone."""

    def __init__(self, actor: Actor = SHIPPED, name: str = RULES) -> None:
        self._actor, self.name = actor, name

    def next_step(self, situation: Situation, problem: str = "") -> str:
        """Never wrong in its form, so `problem` is of no use to it."""
        if all(part.covered for part in situation.parts if part.wanted):
            return written(None, {}, ENOUGH, final=True)
        if len(situation.calls) >= self._actor.steps:
            return written(None, {}, PLANNED)
        call = next_call(self._actor, situation)
        return written(None, {}, NOTHING) if call is None else written(call.tool, dict(call.args), call.thought)


@dataclass(frozen=True, slots=True)
class Instructed:
    """Implements the Planner port, over one that is a language model: it is told the actor's instructions, and ends
    where the actor does. Templates tell it nothing."""

    planner: Planner
    actor: Actor

    @property
    def name(self) -> str:
        return self.planner.name

    def next_step(self, situation: Situation, problem: str = "") -> str:
        if len(situation.calls) >= self.actor.steps:
            return written(None, {}, PLANNED)
        return self.planner.next_step(replace(situation, instructions=self.actor.instructions), problem)


class ReplayPlanner:
    """Implements ports.Planner: the same orders in their order, whatever they find, and an end of the same kind."""

    name = "replay"

    def __init__(self, orders: Sequence[str], *, final: bool = False) -> None:
        self._orders, self._final = orders, final

    def next_step(self, situation: Situation, problem: str = "") -> str:
        """After the last one it is done. An order that cannot be used is not given again."""
        given = len(situation.calls)
        if problem or given >= len(self._orders):
            return written(None, {}, "all orders were given again", final=self._final)
        return self._orders[given]
