"""The verdict on a question that is taken apart."""

from collections.abc import Sequence

from vouch.correction.evaluation import Verdict, VerdictKind
from vouch.correction.steps.merging import in_turn
from vouch.correction.steps.trajectory import PartFound
from vouch.values.candidate import Candidate


def verdict_of_parts(
    first: Verdict, wanted: Sequence[PartFound], lists: Sequence[Sequence[Candidate]], rest: Sequence[str]
) -> Verdict:
    """Correct where every part has a passage that is likely enough, incorrect where none has one that may be.

    With a rest that was not looked for it is never correct, nor is a question in one part that seems off the topic.
    One that was declined as off the topic stays so until a passage is likely enough.
    """
    lower, upper = first.thresholds
    known = in_turn(lists)
    scores = tuple(candidate.probability or 0.0 for candidate in known)
    best = max(scores, default=None)
    covered, near = (sum(part.best >= bound for part in wanted) for bound in (upper, lower))
    kind: VerdictKind = "correct" if covered == len(wanted) else "ambiguous" if near else "incorrect"
    if len(wanted) == 1 and first.kind == "correct":
        kind = "correct"
    off_topic = len(wanted) == 1 and not first.on_topic
    if kind == "correct" and (rest or off_topic):
        kind = "ambiguous"
    if off_topic and first.kind == "incorrect" and not covered:
        kind = "incorrect"
    reason = f"{first.reason}; after further steps {covered} of {len(wanted) + len(rest)} parts reach {upper:.2f}"
    return Verdict(kind, scores, best, first.thresholds, reason, first.on_topic)
