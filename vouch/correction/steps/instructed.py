"""A planner that is told the instructions of the actor with every situation."""

from dataclasses import dataclass, replace

from vouch.ports.planner import Planner, Situation


@dataclass(frozen=True, slots=True)
class Instructed:
    """Implements the Planner port, over one that is a language model."""

    planner: Planner
    instructions: str

    @property
    def name(self) -> str:
        return self.planner.name

    def next_step(self, situation: Situation, problem: str = "") -> str:
        return self.planner.next_step(replace(situation, instructions=self.instructions), problem)
