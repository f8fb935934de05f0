"""Who decides whether an answer is one: the evaluator, or a writer that has read the passages."""

from vouch.correction.evaluation import Verdict
from vouch.ports.writer import Draft


def sure(verdict: Verdict, draft: Draft) -> bool:
    """Whether what holds of the draft is an answer, and not the nearest there is."""
    return draft.certain and (draft.decided or verdict.kind == "correct")


def likelihood(best: float, verdict: Verdict, draft: Draft) -> float:
    """`best` of the evaluator, for the passages that are cited; at least what it calls correct, if a writer says so."""
    return max(best, verdict.thresholds[1]) if draft.decided and draft.sentences and draft.certain else best
