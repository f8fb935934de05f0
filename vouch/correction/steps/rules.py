"""The planner that works offline, by rules: parts in their own words first, then bridges from what was found."""

from vouch.correction.steps.order import LONGEST_QUERY, RagArgs, call_name, written
from vouch.ports.planner import PartSeen, Situation


class RulePlanner:
    """Implements the Planner port. What it orders depends on the situation alone."""

    name = "rules"

    def next_step(self, situation: Situation, problem: str = "") -> str:
        """Never wrong in its form, so `problem` is of no use to it."""
        wanted = [part for part in situation.parts if part.wanted]
        if all(part.covered for part in wanted):
            return written(None, {}, "every part has its evidence", final=True)
        for part in situation.parts:
            if not part.covered and not part.tried and self._is_new(situation, part.text):
                return written("rag", {"query": part.text}, "a part in its own words")
        for query in self._bridges(situation, wanted):
            if self._is_new(situation, query):
                return written("rag", {"query": query}, "a bridge from what was found")
        return written(None, {}, "nothing is left to try")

    def _bridges(self, situation: Situation, wanted: list[PartSeen]) -> list[str]:
        """What a passage does not say of an open part, with what it names; the nearest passage first."""
        open_part = next(part.text for part in wanted if not part.covered)
        return [
            " ".join((*one.lacks, *one.words) if one.lacks else (open_part, *one.words))[:LONGEST_QUERY].strip()
            for one in situation.seen if one.words
        ]

    @staticmethod
    def _is_new(situation: Situation, query: str) -> bool:
        return bool(query.strip()) and call_name("rag", RagArgs(query=query[:LONGEST_QUERY])) not in situation.calls
