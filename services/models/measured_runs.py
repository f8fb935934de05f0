"""Runs of what serves to measure it: what its readers find is judged, and what steps bring."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from flows.training.leakage_check import Score
from indexers.live_index import LiveIndex
from services.models.known_scores import KnownScores
from vouch.access import Audience, Permissions
from vouch.correction.components import Components
from vouch.correction.judging import first_search
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.planners import Actor
from vouch.errors import ModelDown, TimedOut
from vouch.learning.agent.loop import Plan
from vouch.learning.agent.run_summary import Ran, evidence_recall, observed, reached_share
from vouch.learning.collections.golden import GoldenQuestion, held_in, quoted_of
from vouch.ports.index import View
from vouch.ports.language import PartSeen, Situation
from vouch.ports.models import Evaluator
from vouch.values.candidate import Candidate
from vouch.values.question import Question


class AgentRuns:
    """An Act: questions by their number. Answers are quoted, and the web is not asked, whatever the settings say.

    It raises ModelDown where the language model that orders steps is away.

    By `plan.metric` it is told how much of what was expected reached the writer, or is quoted by the answer.
    """

    def __init__(
        self, components: Components, permissions: Permissions, questions: Sequence[GoldenQuestion],
        tags: Sequence[str], plan: Plan, clock: Callable[[], datetime],
    ) -> None:  # fmt: skip
        judge = None if components.judge is None else KnownScores(components.judge)
        self._components = replace(components, writer=components.fallback, outside=None, swap_rate=0.0, judge=judge)
        self._permissions, self._questions, self._tags = permissions, questions, tags
        self._plan, self._clock = plan, clock
        self._expected: dict[int, list[Collection[str]]] = {}

    def __call__(self, actor: Actor, name: str) -> Ran:
        number = int(name)
        one, now = self._questions[number], self._clock()
        audience = self._permissions.directory.audience([self._tags[number]], now)
        expected = self._holding(number, audience)
        question = Question(f"train-{name}", one.text, audience, now, steps=self._plan.most_steps)
        outcome = answer_question(question, replace(self._components, actor=actor, planned_by="trained"))
        if (planner := self._components.planner) is not None and missed(planner.name, outcome):
            planner.next_step(_NOBODY_ASKS)     # it raises if the model is away: what rules did would be measured
        return observed(name, outcome, expected, self._metric(one, outcome, expected))

    def hopeless(self) -> list[int]:
        """Numbers of the questions that no search can do well: too few of their quotes stand in what may be read."""
        found = []
        for number, one in enumerate(self._questions):
            audience = self._permissions.directory.audience([self._tags[number]], self._clock())
            held = [bool(ids) for ids in self._holding(number, audience)]
            if not (all(held) if one.needs_all else any(held)):
                found.append(number)
        return found

    def _holding(self, number: int, audience: Audience) -> list[Collection[str]]:
        if number not in self._expected:
            view = self._components.index.view(audience)
            self._expected[number] = holding(view, self._permissions.rulebooks, self._questions[number])
        return self._expected[number]

    def _metric(self, one: GoldenQuestion, outcome: Outcome, expected: Sequence[Collection[str]]) -> float:
        if self._plan.metric == "answer":
            return reached_share(quoted_of(one, outcome.answer), needs_all=one.needs_all)
        return evidence_recall(outcome, expected, needs_all=one.needs_all)


_NOBODY_ASKS = Situation("Who leads it?", [PartSeen("Who leads it?", covered=False, tried=False)], (), (), (), 1)


def missed(planner: str, outcome: Outcome) -> bool:
    """Whether it gave no order once, as its model was away, or late, or had no words for this question."""
    away = {ModelDown.__name__, TimedOut.__name__}
    return any(order.error in away for order in outcome.answer.orders if order.by == planner)


def holding(view: View, sources: Iterable[str], one: GoldenQuestion) -> list[Collection[str]]:
    """For each quotation the chunks that hold it, of those that the view shows of these sources."""
    found = list[Collection[str]]()
    for alternatives in one.gold:
        places = [(source, gold.path) for source in sorted(sources) for gold in alternatives]
        ids = [each for place in dict.fromkeys(places) for each in view.of_document(*place)]
        found.append({p.chunk_id for p in view.passages(ids) if held_in(alternatives, p)})
    return found


@dataclass(frozen=True)
class Judging:
    """Ranks and judges as for an answer; nothing is written, stored or sent."""

    components: Callable[[], Components]
    index: LiveIndex
    permissions: Callable[[], Permissions]

    def judged(self, question: str, tags: Sequence[str]) -> Sequence[Candidate]:
        """With evidence and probability. Raises BadAccess for a tag that names no reader."""
        audience = self.permissions().directory.audience(tags)
        self.index.follow()
        c = self.components()
        return first_search(c.index.view(audience), c, question).judged

    def worlds(self, compare: Callable[[Score], tuple[int, int]], evaluator: Evaluator) -> tuple[int, int]:
        """How many probabilities of an evaluator differ between two worlds, and how many were compared."""
        c = replace(self.components(), evaluator=evaluator)
        return compare(lambda view, _, text: [(one.chunk_id, one.probability or 0.0)
                                              for one in first_search(view, c, text).judged])
