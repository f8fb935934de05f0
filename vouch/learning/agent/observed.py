"""What was done for a question, read off its outcome: labels and numbers for the comparator."""

from collections.abc import Collection, Sequence
from itertools import chain

from vouch.correction.outcome import Outcome
from vouch.correction.steps.actor import THOUGHTS
from vouch.correction.steps.rules import PLANNED
from vouch.learning.agent.ran import Action, Ending, Ran

_FIRST = 6                              # passages of the first search that count as found
_FORMS = {thought: form for form, thought in THOUGHTS.items()}


def observed(question: str, outcome: Outcome, expected: Sequence[Collection[str]], *, needs_all: bool) -> Ran:
    """`expected`: for each thing that was to be found, the ids of the chunks that hold it."""
    answer = outcome.answer
    shown = {row["chunk_id"] for row in outcome.candidates if row["shown"]}
    reached = [not shown.isdisjoint(ids) for ids in expected]
    known = {row["chunk_id"] for row in outcome.candidates if row["rerank_rank"] and row["rerank_rank"] <= _FIRST}
    wanted, actions = set(chain.from_iterable(expected)), []
    for row, told in zip(outcome.steps, answer.steps, strict=True):
        new = [chunk_id for chunk_id, _ in row["found"] if chunk_id not in known]
        known.update(new)
        actions.append(Action(_FORMS.get(told.thought, "other"), len(new), len(wanted.intersection(new)), row["error"]))
    actions += [Action("other", 0, 0, order.error) for order in answer.orders if order.error]
    metric = sum(reached) / len(reached) if needs_all and reached else float(any(reached))
    return Ran(question, metric, tuple(actions), _ended(outcome), answer.timings_ms.get("total", 0.0))


def _ended(outcome: Outcome) -> Ending:
    answer = outcome.answer
    if answer.stopped == "final" and any(order.thought == PLANNED for order in answer.orders):
        return "planned"
    return answer.stopped or "covered"
