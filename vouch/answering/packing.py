"""Pack: refined passages as numbered evidence within a token budget."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

from vouch.answering.packing_rules import PLAIN, Packing, adapted, limited, merged, ordered
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


def pack(
    refined: Sequence[Refined], budget: int, count_tokens: Callable[[str], int], how: Packing = PLAIN
) -> tuple[Evidence, ...]:
    """Evidence numbered from 1 in the order it stands in, within the budget.

    The best passages are kept; only then are they put in an order. The first
    strip of the first passage always stays, whatever its length.
    """
    count, chosen = cache(count_tokens), list(refined)
    if how.merge:
        chosen = merged(chosen)
    if how.most:
        chosen = limited(chosen, how.most, count)
    fitting = _cut(chosen, budget, count) if how.shorten == "cut" else adapted(chosen, budget, partial(_cost, count))
    return tuple(
        Evidence(number, one.candidate.passage, one.strips, one.candidate.probability or 0.0)
        for number, one in enumerate(ordered(fitting, how.order), 1)
    )


def _cut(refined: Sequence[Refined], budget: int, count: Callable[[str], int]) -> list[Refined]:
    """Strips cut from the end where the budget is spent."""
    kept: list[Refined] = []
    left = budget
    for one in refined:
        cost, strips = _cost(count, replace(one, strips=())), list[tuple[int, int]]()
        for start, end in one.strips:
            more = count(one.candidate.passage.text[start:end])
            if cost + more > left and (kept or strips):
                break
            strips.append((start, end))
            cost += more
        if strips:
            kept.append(replace(one, strips=tuple(strips)))
            left -= cost
    return kept


def _cost(count: Callable[[str], int], one: Refined) -> int:
    passage = one.candidate.passage
    return FRAME_TOKENS + count(heading(passage)) + sum(count(passage.text[a:b]) for a, b in one.strips)
