"""Pack: refined passages as numbered evidence within a token budget."""

from collections.abc import Callable, Sequence

from vouch.correction.refinement import Refined
from vouch.documents.chunk import SECTION_JOINT
from vouch.documents.tables import cells
from vouch.ports.writer import Evidence
from vouch.retrieval.candidate import Candidate, Passage

FRAME_TOKENS = 8                        # number, brackets and line ends around one passage


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without passages whose words stand in an earlier one already; all are visible, so nothing is given away."""
    seen: set[str] = set()
    kept = []
    for candidate in candidates:
        words = " ".join(candidate.passage.text.split())
        if words and words not in seen:
            seen.add(words)
            kept.append(candidate)
    return kept


def heading(passage: Passage) -> str:
    """How a passage is introduced to a writer: document, section path, columns of the table that it goes on with."""
    parts = [passage.title, *(part for part in passage.section if part != passage.title)]
    path = SECTION_JOINT.join(part for part in parts if part)
    if passage.origin == "external":
        path = f"{path} (from the web)"
    return f"{path} (columns: {' | '.join(cells(passage.header))})" if passage.header else path


def pack(refined: Sequence[Refined], budget: int, count_tokens: Callable[[str], int]) -> tuple[Evidence, ...]:
    """Evidence numbered from 1 in the order given, strips cut from the end where the budget is spent.

    The first strip of the first passage always stays, whatever its length.
    """
    packed: list[Evidence] = []
    left = budget
    for one in refined:
        passage = one.candidate.passage
        cost = FRAME_TOKENS + count_tokens(heading(passage))
        kept: list[tuple[int, int]] = []
        for start, end in one.strips:
            more = count_tokens(passage.text[start:end])
            if cost + more > left and (packed or kept):
                break
            kept.append((start, end))
            cost += more
        if kept:
            packed.append(Evidence(len(packed) + 1, passage, tuple(kept), one.candidate.probability or 0.0))
            left -= cost
    return tuple(packed)
