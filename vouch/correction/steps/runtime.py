"""Runs the steps of a question: the planner orders, a tool finds, the evaluator judges, until one of four ends."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from vouch.answering.answer import Budget, ToolName
from vouch.correction.planning.limits import Limits, within
from vouch.correction.planning.order import InvalidOrder, OpenArgs, Order, RagArgs, call_name, read_order
from vouch.correction.steps.failures import tell_failure
from vouch.correction.steps.memory import Memory
from vouch.correction.steps.ordering import ordered
from vouch.correction.steps.tools import Bench, Tool, checked
from vouch.correction.steps.trajectory import NOT_FOUND, NOT_JUDGED, TWICE, OrderedBy, StepTaken, Stopped
from vouch.errors import Busy, Damaged, TimedOut, Unavailable, VouchError
from vouch.ports.language import Planner, Situation
from vouch.retrieval.injections import without_orders
from vouch.values.candidate import Candidate

JUDGED_PER_STEP = 6                              # passages of a step that the evaluator reads
FAILURES = 2                            # steps in a row that fail before it is an error
_OUTAGES = (Unavailable, Busy, Damaged)
"""The question waits for their end, as without steps: they do not mean that nothing was found."""
Judge = Callable[[str, Sequence[Candidate]], list[Candidate]]
"""The candidates with their probability of answering these words."""


class _NotJudged(TimedOut):
    """What a tool found in time was not judged in time."""


class Runtime:
    """`rules` take the step where `planner` fails twice; they cannot fail, unless something is badly wrong."""

    def __init__(
        self, bench: Bench, planner: Planner, rules: Planner, tools: Mapping[ToolName, Tool], limits: Limits,
        judge: Judge, monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._bench, self._planner, self._rules, self._tools = bench, planner, rules, tools
        self._limits, self._judge, self._now = limits, judge, monotonic
        self._began = monotonic()
        self._failed = 0                # steps in a row
        self.used_up: Budget = "steps"  # which budget, once that is why there are no more

    def run(self, memory: Memory) -> Stopped:
        """Why there are no more steps. What they found is in the memory. Raises what an index or a model that is away
        raises, Busy, Damaged."""
        while True:
            if memory.covered:
                return "covered"
            if used_up := self._used_up(memory):
                self.used_up = used_up
                return "budget"
            if self._failed >= FAILURES:
                return "error"
            found = self._ordered(memory)
            if found is None:
                return "error"
            order, by = found
            if order.tool is None:
                memory.no_step(by, thought=order.thought, ends=order.ends)
                return "final" if order.ends == "final" else "stop"
            if self._left() <= 0:       # the planner took what was left
                self.used_up = "seconds"
                return "budget"
            self._take(memory, order, order.tool, by)

    def _used_up(self, memory: Memory) -> Budget | None:
        searches = sum(isinstance(one.args, RagArgs) for one in memory.steps)
        if len(memory.steps) >= self._limits.steps:
            return "steps"
        if searches >= self._limits.searches:
            return "searches"
        return "seconds" if self._left() <= 0 else None

    def _left(self) -> float:
        return self._limits.seconds - (self._now() - self._began)

    def _ordered(self, memory: Memory) -> tuple[Order, OrderedBy] | None:
        situation = memory.situation(self._limits.steps)
        return ordered(
            self._planner, self._rules,
            lambda planner, problem: _new_one(memory, read_order(self._said(memory, planner, situation, problem))),
            lambda by, error, problem: memory.no_step(by, error=error, problem=problem),
        )  # fmt: skip

    def _said(self, memory: Memory, planner: Planner, situation: Situation, problem: str) -> str:
        """The rules need no time limit: they are code of ours, and take what a planner that hangs has left over.

        What any other planner says may hold words of whatever it was told of.
        """
        if planner is self._rules:
            return planner.next_step(situation, problem)
        memory.shown.update(passage.chunk_id for passage in situation.seen)
        seconds = min(self._left(), self._limits.tool_seconds)
        reply = within(seconds, lambda: planner.next_step(situation, problem))
        if not isinstance(reply, str):
            raise InvalidOrder("the order is no text")
        return reply

    def _take(self, memory: Memory, order: Order, tool: ToolName, by: OrderedBy) -> None:
        assert order.args is not None
        name, began = call_name(tool, order.args), self._now()
        candidates: tuple[Candidate, ...] = ()
        fused: tuple[Candidate, ...] = ()
        error = ""
        try:
            candidates, fused = self._found(memory, order, tool)
        except Exception as raised:      # a tool is somebody's plug-in; its words are never told
            if isinstance(raised, _OUTAGES) and not isinstance(raised, TimedOut):
                raise
            error = _label(raised)
            tell_failure(tool, raised)
        self._failed = self._failed + 1 if error else 0
        if error:
            memory.fail(f"{tool}: {error}")
        words_of = memory.words_of(order.args.query) if isinstance(order.args, RagArgs) else ()
        ms = round((self._now() - began) * 1000, 2)
        step = StepTaken(len(memory.steps) + 1, tool, order.args, by, order.thought, ms, error, candidates, words_of)
        memory.add(step, name, fused)

    def _found(
        self, memory: Memory, order: Order, tool: ToolName
    ) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
        """What the tool found, its words read again with the rights of the question, judged for its part."""
        args, bench = order.args, self._bench
        assert args is not None
        seconds = min(self._left(), self._limits.of(tool))
        raw = within(seconds, lambda: checked(self._tools[tool](bench, args)))
        assert raw is not None
        first = list({candidate.chunk_id: candidate for candidate in raw.candidates}.values())[:JUDGED_PER_STEP]
        passages = bench.view.passages([candidate.chunk_id for candidate in first])
        again = [replace(candidate, passage=passage) for candidate, passage in zip(first, passages, strict=True)]
        part = memory.part_of(args.query) if isinstance(args, RagArgs) else memory.wanted
        candidates, _ = without_orders(again, 0)
        return self._judged(part, candidates), raw.fused

    def _judged(self, part: str, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Within what is left of the time of all steps. Raises _NotJudged, and begins nothing where none is left."""
        try:
            return tuple(within(self._left(), lambda: self._judge(part, candidates)) or ())
        except TimedOut as late:
            raise _NotJudged(late.cause, cure="VOUCH_STEPS__SECONDS sets how long all steps may take") from late


def _new_one(memory: Memory, order: Order) -> Order:
    """Raises InvalidOrder for a call that was made before, unless it took too long, and to open what was not found."""
    if order.tool is not None and order.args is not None:
        if call_name(order.tool, order.args) in memory.made:
            raise InvalidOrder(TWICE)
        if isinstance(order.args, OpenArgs) and not memory.was_found(order.args):
            raise InvalidOrder(NOT_FOUND)
    return order


def _label(raised: Exception) -> str:
    if isinstance(raised, _NotJudged):
        return NOT_JUDGED
    return type(raised).__name__ if isinstance(raised, VouchError) else "failed"
