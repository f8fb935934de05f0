"""The policy of merging and compaction, over random histories: few folders, little dead, work that follows changes."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexers.building.merge_policy import DEAD_SHARE, SegmentMerge, folds, one_fold

Policy = Callable[[Sequence[int], Sequence[int], int], list[SegmentMerge]]
Step = tuple[int, list[tuple[int, float]]]      # rows added; (folder, share of it that dies)

SHARES = st.sampled_from((0.01, 0.1, 0.24, 0.26, 0.5, 0.9, 1.0))
STEPS = st.lists(
    st.tuples(st.integers(0, 300) | st.integers(0, 3), st.lists(st.tuples(st.integers(0, 9), SHARES), max_size=3)),
    max_size=60,
)


def broken(steps: Sequence[Step], policy: Policy) -> list[str]:
    """Which promises of the policy do not hold over a history."""
    row: list[tuple[int, int]] = []             # held, alive
    added = died = copied = 0
    largest = 2
    wrong = set()
    for new, deaths in steps:
        for which, share in deaths if row else ():
            held, alive = row[which % len(row)]
            gone = min(alive, math.ceil(alive * share))
            row[which % len(row)] = held, alive - gone
            died += gone
        added += new
        total = sum(alive for _, alive in row) + new
        done = policy([h for h, _ in row], [a for _, a in row], new)
        copied += sum(row[n][1] for fold in done if fold.rewritten for n in fold.members if n < len(row))
        row = [(f.size, f.size) if f.rewritten else row[f.members[0]] for f in done]
        largest = max([largest, *(held for held, _ in row)])
        if sum(alive for _, alive in row) != total:
            wrong.add("a row is lost or doubled")
        if any(held - alive > DEAD_SHARE * held for held, alive in row):
            wrong.add("too much is dead")
        if any(older < 2 * newer for (older, _), (newer, _) in pairwise(row)) or len(row) > 1 + math.log2(largest):
            wrong.add("too many folders")
        if copied > 2.2 * added * math.log2(largest) + 10 * died:
            wrong.add("too much is copied")
    return sorted(wrong)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(STEPS)
def test_folders_are_few_mostly_alive_and_seldom_copied(steps: list[Step]) -> None:
    assert broken(steps, folds) == []


def merge_all(held: Sequence[int], alive: Sequence[int], new: int) -> list[SegmentMerge]:
    return [SegmentMerge((*range(len(held)), len(held)), sum(alive) + new, True)] if new else one_fold(held, alive, new)


def never_compact(held: Sequence[int], alive: Sequence[int], new: int) -> list[SegmentMerge]:
    return folds(held, held, new)


def lose_one(held: Sequence[int], alive: Sequence[int], new: int) -> list[SegmentMerge]:
    return folds(held, alive, new)[: len(held)]


@pytest.mark.parametrize(("policy", "promise"), [
    (merge_all, "too much is copied"), (never_compact, "too much is dead"), (lose_one, "a row is lost or doubled"),
])
def test_a_policy_that_breaks_a_promise_is_found(policy: Policy, promise: str) -> None:
    steps: list[Step] = [(1, []) for _ in range(200)] + [(0, [(0, 0.2)]), (0, [(0, 0.2)]), (9, [])]
    assert promise in broken(steps, policy) and broken(steps, folds) == []


def test_everything_comes_into_one_folder_once() -> None:
    assert one_fold([], [], 0) == one_fold([3], [0], 0) == []
    assert one_fold([3, 0, 2], [3, 0, 1], 0) == [SegmentMerge((0, 2), 4, True)]
    assert one_fold([3], [3], 0) == [SegmentMerge((0,), 3, False)]
    assert one_fold([3], [3], 2) == [SegmentMerge((0, 1), 5, True)]
