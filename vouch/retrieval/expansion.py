"""Expand: chunks that stand beside the best hits, because an answer often begins one chunk too late.

Rule of the pool (`size` candidates go to the reranker): the best three
quarters are fused hits in fused order; the last quarter is for expanded
chunks in order of their seed, neighbours before others of the section,
nearest first. What expansion leaves free goes to further fused hits.
Cost: for each of SEEDS hits two id look-ups, then one fetch of passages.
"""

from dataclasses import dataclass, replace

from vouch.ports.index import View
from vouch.retrieval.candidate import Candidate, Expansion

SEEDS = 5                               # hits that are expanded
ADJACENT = 1                            # neighbours on each side
SECTION = 3                             # further chunks on each side, if of the same section


@dataclass(frozen=True, slots=True)
class _Near:
    chunk_id: str
    kind: Expansion
    seed: Candidate


def expand(view: View, fused: list[Candidate], size: int) -> list[Candidate]:
    """`fused` with expanded chunks drawn in: the first `size` are the reranker's pool, the rest follows as it was.

    A chunk drawn in keeps its own scores, if it had any, and names its seed.
    """
    head = size - size // 4
    kept = {candidate.chunk_id for candidate in fused[:head]}
    known = {candidate.chunk_id: candidate for candidate in fused}
    near: dict[str, _Near] = {}
    for seed in fused[:SEEDS]:
        for one in _beside(view, seed):
            if one.chunk_id not in kept:
                near.setdefault(one.chunk_id, one)
    drawn = list(near.values())[: size - len(fused[:head])]
    fresh = [one.chunk_id for one in drawn if one.chunk_id not in known]
    passages = dict(zip(fresh, view.passages(fresh) if fresh else [], strict=True))
    expanded = [
        replace(known.get(one.chunk_id) or Candidate(passages[one.chunk_id]), expansion=one.kind,
                seed=one.seed.chunk_id)
        for one in drawn
    ]
    moved = {one.chunk_id for one in drawn}
    return [*fused[:head], *expanded, *(c for c in fused[head:] if c.chunk_id not in moved)]


def _beside(view: View, seed: Candidate) -> list[_Near]:
    reach = ADJACENT + SECTION
    beside = view.around(seed.chunk_id, ADJACENT, ADJACENT)
    wide = view.around(seed.chunk_id, reach, reach)
    section = set(view.same_section(seed.chunk_id)) - set(beside)
    split = min(seed.passage.ordinal, reach)      # how many of `wide` stand before the seed
    order = {chunk_id: i - split + (i >= split) for i, chunk_id in enumerate(wide)}
    near = [_Near(chunk_id, "adjacent", seed) for chunk_id in beside]
    near += [_Near(chunk_id, "same_section", seed) for chunk_id in wide if chunk_id in section]
    return sorted(near, key=lambda one: (one.kind != "adjacent", abs(order.get(one.chunk_id, 0)), one.chunk_id))
