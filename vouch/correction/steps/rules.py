"""The planner that works offline, by the templates of its actor: as it comes, parts in their own words, then bridges.
"""

from vouch.correction.steps.actor import SHIPPED, Actor, next_call
from vouch.correction.steps.order import written
from vouch.ports.planner import Situation

ENOUGH, PLANNED, NOTHING = "every part has its evidence", "its plan has no more steps", "nothing is left to try"


class RulePlanner:
    """Implements the Planner port. What it orders depends on the situation alone."""

    def __init__(self, actor: Actor = SHIPPED, name: str = "rules") -> None:
        self._actor, self.name = actor, name

    def next_step(self, situation: Situation, problem: str = "") -> str:
        """Never wrong in its form, so `problem` is of no use to it."""
        if all(part.covered for part in situation.parts if part.wanted):
            return written(None, {}, ENOUGH, final=True)
        if len(situation.calls) >= self._actor.steps:
            return written(None, {}, PLANNED)
        call = next_call(self._actor, situation)
        return written(None, {}, NOTHING) if call is None else written(call.tool, dict(call.args), call.thought)
