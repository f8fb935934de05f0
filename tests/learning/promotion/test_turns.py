"""Values of many people in turns: no beginning of the list is one person's, and nothing but who and when decides."""

import random
from collections import Counter
from collections.abc import Mapping

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
        if came[row[0]] > most:
            came[row[0]] = most
            continue
        waiting.append(row)
        while due := [one for one in waiting if may_follow(came, given[one[0]], len(kept))]:
            waiting.remove(due[0])
            given[due[0][0]] += 1
            kept.append(due[0])
    return kept


def may_follow(came: Mapping[str, int], given: int, length: int) -> bool:
    """Room for all who came once, for all who came twice, and so on; and a fourth came as often as this."""
    def so_often(number: int) -> int:
        return sum(often >= number for often in came.values())

    room = sum(max(SHARE, so_often(number)) for number in range(1, given + 1))
    return given == 0 or (4 * so_often(given + 1) >= len(came) and room <= length)


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


def test_three_who_give_a_hundred_times_as_much_have_three_parts_of_43() -> None:
    draw = random.Random(3)
    loud, others = [f"m{n}" for n in range(3)], [f"p{n}" for n in range(40)]
    rows = [(draw.choice(loud if draw.random() < 0.9 else others), n) for n in range(8000)]
    kept = turns(rows, 25)
    assert sum(person in loud for person, _ in kept) / len(kept) < 1.25 * 3 / 43


def test_people_who_come_one_after_the_other_keep_their_order_and_nobody_alone_is_more_than_one() -> None:
    rows = [(f"p{n % 50}", n) for n in range(500)]
    assert turns(rows, 100) == rows
    assert turns([("mallory", n) for n in range(100)], 25) == [("mallory", 0)]
