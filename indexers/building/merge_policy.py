"""When folders are written anew: the policy of merging and of compaction, as arithmetic.

Folders stand in a row, oldest first. Each publish does three things:
a folder without anything alive leaves; one of which more than a quarter is
dead (DEAD_SHARE) is written anew without it; and where a new or rewritten
folder is more than half as large as what stands before it, the two become
one, as the digits of a binary number carry.

So a folder is always at least twice as large as the next one, there are at
most 1 + log2(n) of them, and at most a quarter of each is dead. The work
follows the changes: over any history in which `a` rows were added and `d`
died, at most 2.2 · a · log2(n) + 10 · d rows are copied, n being the size of
the largest folder: a copied row either comes into a folder at least 1.375
times as large, or was moved for dead ones that leave. One publish alone copies at most what is alive.
"""

from collections.abc import Sequence
from dataclasses import dataclass

DEAD_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class SegmentMerge:
    """Neighbouring folders, by number, with `size` alive; they become one, or stay as they are if not `rewritten`."""

    members: tuple[int, ...]
    size: int
    rewritten: bool


def folds(held: Sequence[int], alive: Sequence[int], new: int) -> list[SegmentMerge]:
    """What becomes of folders that hold and keep alive so much, when `new` more comes; that is number len(held)."""
    done: list[SegmentMerge] = []
    for number, (size, left) in enumerate(zip(held, alive, strict=True)):
        if left:
            rewritten = size - left > DEAD_SHARE * size
            _push(done, SegmentMerge((number,), left, rewritten), left if rewritten else size)
    if new:
        _push(done, SegmentMerge((len(held),), new, True), new)
    return done


def one_fold(held: Sequence[int], alive: Sequence[int], new: int) -> list[SegmentMerge]:
    """Everything alive in one folder, the most that compaction can gain."""
    members = tuple(number for number, left in enumerate([*alive, new]) if left)
    as_it_is = len(members) == 1 and not new and held[members[0]] == alive[members[0]]
    return [SegmentMerge(members, sum(alive) + new, not as_it_is)] if members else []


def _push(done: list[SegmentMerge], fold: SegmentMerge, held: int) -> None:
    """Adds a fold, which will hold so much, and merges it with what stands before it as long as that is too small."""
    while done and (fold.rewritten or done[-1].rewritten) and done[-1].size < 2 * held:
        before = done.pop()
        fold = SegmentMerge(before.members + fold.members, before.size + fold.size, True)
        held = fold.size
    done.append(fold)
