"""Splits depend on names alone and never cut a group."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from vouch.learning.statistics.splits import split_of, united

names = st.sampled_from([f"title {n}" for n in range(12)])


def test_shares_are_about_60_20_20() -> None:
    counts = Counter(split_of(f"name {n}") for n in range(20_000))
    assert abs(counts["train"] / 20_000 - 0.6) < 0.02 and abs(counts["test"] / 20_000 - 0.2) < 0.02


def test_case_and_space_do_not_move_a_name() -> None:
    assert all(split_of(f"The  Beatles {n}") == split_of(f"the beatles {n} ") for n in range(50))


def test_a_split_never_changes() -> None:
    """Later models are judged on what no earlier one saw; this list may grow, its values may not change."""
    known = {"Normans": "train", "Islamism": "calibration", "Harvard University": "test"}
    assert {name: split_of(name) for name in known} == known


@given(st.lists(st.lists(names, min_size=1, max_size=4), max_size=8))
def test_groups_that_share_a_name_get_one_name(groups: list[list[str]]) -> None:
    found = united(groups)
    reach = [set(group) for group in groups]
    for _ in groups:                    # transitive closure by brute force
        reach = [set().union(*(other for other in reach if other & mine)) for mine in reach]
    assert found == [min(mine) for mine in reach]
