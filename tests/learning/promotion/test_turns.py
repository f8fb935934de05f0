"""Values of many people in turns: no beginning of the list is one person's, and nothing but who and when decides."""

import random
from collections import Counter

from vouch.learning.promotion.control import SHARE, in_turns

Row = tuple[str, int]


def turns(rows: list[Row], most: int) -> list[Row]:
    return list(in_turns(rows, lambda row: row[0], most))


def by_hand(rows: list[Row], most: int) -> list[Row]:
    """Slowly: after each row, the earliest that may count, again and again."""
    kept: list[Row] = []
    waiting: list[Row] = []
    came, given = Counter[str](), Counter[str]()
    for row in rows:
        came[row[0]] += 1
        if came[row[0]] <= most:
            waiting.append(row)
        while due := [one for one in waiting if given[one[0]] * SHARE <= len(kept)]:
            waiting.remove(due[0])
            given[due[0][0]] += 1
            kept.append(due[0])
    return kept


def drawn(seed: int, people: int, number: int) -> list[Row]:
    draw = random.Random(seed)
    return [(f"p{min(int(draw.expovariate(0.2)), people - 1)}", n) for n in range(number)]


def test_it_is_what_is_done_by_hand() -> None:
    for seed in range(60):
        rows = drawn(seed, 4 + seed % 30, 300)
        assert turns(rows, 1 + seed % 12) == by_hand(rows, 1 + seed % 12), seed


def test_of_no_beginning_more_than_one_and_a_tenth_is_of_one_person() -> None:
    rows = [("mallory", n) for n in range(500)] + drawn(7, 40, 2000)
    kept = turns(rows, 25)
    counts = Counter[str]()
    for length, (person, _) in enumerate(kept):
        counts[person] += 1
        assert counts[person] <= 1 + length / SHARE
    assert len(kept) > 200 and max(counts.values()) <= 25


def test_people_who_come_one_after_the_other_keep_their_order_and_nobody_alone_is_more_than_one() -> None:
    rows = [(f"p{n % 50}", n) for n in range(500)]
    assert turns(rows, 100) == rows
    assert turns([("mallory", n) for n in range(100)], 25) == [("mallory", 0)]
