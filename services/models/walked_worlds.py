"""All that is done for a question step by step, as two worlds are compared by it that differ in hidden documents."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

from vouch.access import PUBLIC, Audience, Reader
from vouch.correction.components import Components
from vouch.correction.judging import first_search
from vouch.correction.planning.order import LONGEST_QUERY, call_name, written
from vouch.correction.steps.further import further
from vouch.correction.steps.tools import Bench
from vouch.correction.steps.trajectory import StepTaken
from vouch.ports.index import View
from vouch.ports.language import Situation
from vouch.retrieval.ranking import untimed
from vouch.values.question import Question

_WHEN = datetime(2026, 1, 1, tzinfo=UTC)
_PUBLIC = Audience((Reader(PUBLIC, frozenset({PUBLIC})),))
_HOUR = 3600.0


def walked_in(view: View, c: Components, text: str, steps: int) -> list[tuple[str, float]]:
    """Every step that is taken in a view for a question, with its tool, arguments and finds; how it ended; and what is
    shown after all of them, ranked and judged."""
    unhurried = replace(c.steps, seconds=_HOUR, tool_seconds=_HOUR, open_seconds=_HOUR)     # how fast it is, is no leak
    c = replace(c, planner=c.planner and Repeats(), steps=unhurried)
    first = first_search(view, c, text)
    question = Question("worlds", text, _PUBLIC, _WHEN, steps=steps)
    bench = Bench(question, first.query, view, first.kind, c)
    walked = further(bench, first.verdict, first.judged, first.ranked.fused, untimed)
    orders = [f"{one.step} {one.by.name} {one.error} {one.ends} {one.thought}" for one in walked.orders]
    return [
        *(told for step in walked.steps for told in _told(step)),
        (f"stopped {walked.stopped} {orders} {walked.notes}", 0.0),
        *((one.chunk_id, one.probability or 0.0) for one in walked.judged),
    ]  # fmt: skip


def _told(step: StepTaken) -> list[tuple[str, float]]:
    """All of it but the time that it took."""
    call = f"{step.number} {call_name(step.tool, step.args)} by {step.by.name}, {step.thought}: {step.error}"
    found = [(f"{step.number} {one.chunk_id}", one.probability or 0.0) for one in step.found]
    return [(f"{call} of {step.words_of}", 0.0), *found]


class Repeats:
    """Implements ports.Planner: what it orders holds all that it is told, and nothing else.

    It stands in for a language model in two worlds: that one may say different things of the same, and whatever
    differs in what it would be told differs in these orders.
    """

    name = "what a language model would be told"

    def next_step(self, situation: Situation, problem: str = "") -> str:
        words = dict.fromkeys(word for one in situation.seen for word in (*one.lacks, *one.words))
        told = hashlib.sha256(repr((situation, problem)).encode()).hexdigest()[:16]
        query = " ".join((*words, *situation.question.split()))[:LONGEST_QUERY - len(told)].strip()
        return written("rag", {"query": query}, told)
