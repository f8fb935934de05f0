"""What the loop does with a list question's passages: each document that passes is given one place."""

from collections.abc import Sequence

from vouch.answering.citations import Verified
from vouch.answering.listing import LeftOut
from vouch.correction.evaluation import Verdict
from vouch.correction.refinement import Refined
from vouch.retrieval.candidate import Candidate

PASSAGES = 3                            # of one document, to quote one sentence from


def documents(verdict: Verdict, judged: Sequence[Candidate]) -> list[list[Candidate]]:
    """Every document with a passage at or above the lower threshold: its likeliest few, the likeliest document first.

    Ties are ordered by place and chunk id, so that the order is the same every time.
    """
    lower, _ = verdict.thresholds
    found: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in sorted(judged, key=lambda c: (-_likely(c), *_document(c), c.chunk_id)):
        if _likely(candidate) >= lower:
            found.setdefault(_document(candidate), []).append(candidate)
    return [passages[:PASSAGES] for passages in found.values()]


def whole(groups: Sequence[Sequence[Candidate]]) -> list[Refined]:
    """The passages with all their words, for a writer that chooses one quotation of each document."""
    return [Refined(c, ((0, len(c.passage.text)),)) for group in groups for c in group]


def left_out(verdict: Verdict, judged: Sequence[Candidate], near: int, verified: Verified) -> LeftOut:
    """What passed and is not in the answer. `near` is how many passages there were to judge."""
    shown = {(c.passage.source, c.passage.path) for c in verified.citations}
    more = [best for best, *_ in documents(verdict, judged) if _document(best) not in shown]
    return LeftOut(tuple(more), near - len(judged))


def _document(candidate: Candidate) -> tuple[str, str]:
    return candidate.passage.source, candidate.passage.path


def _likely(candidate: Candidate) -> float:
    return candidate.probability or 0.0
