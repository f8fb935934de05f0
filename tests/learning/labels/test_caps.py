"""The cap on one person and one day: against a search for the level, in any order, with few people, and without it."""

import math
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.learning.labels.label import SOURCES, Label, Source
from vouch.learning.labels.weights import (
    LOUDEST,
    NEXT_TO_NOTHING,
    cap_influence,
    cap_weights,
    highest,
    highest_of_loudest,
    influence,
)

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
SHARES = st.floats(0.01, 1)
TOTALS = st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 1e4)), min_size=1, max_size=40)


def vote(person: str | None, day: int = 0, weight: float = 1.0, chunk: str = "c", source: Source = "vote") -> Label:
    return Label("How?", ("public",), chunk, None, 1, 2, source, weight, START + timedelta(days=day), person)


def shares(labels: list[Label], by: str) -> dict[object, float]:
    held: Counter[object] = Counter()
    for one in labels:
        held[one.person if by == "person" else one.at.date()] += one.weight
    return {group: weight / sum(held.values()) for group, weight in held.items()}


def crowd(seed: int, people: int = 30, days: int = 12, votes: int = 400) -> list[Label]:
    draw = random.Random(seed)
    return [vote(f"p{int(people * draw.random() ** 3)}", int(days * draw.random() ** 2), draw.random(), f"c{n}")
            for n in range(votes)]


def by_search(totals: list[float], share: float) -> float:
    """The level by bisection: the greatest L with L <= share * sum(min(total, L))."""
    low, high = 0.0, max(totals) * 2
    for _ in range(200):
        middle = (low + high) / 2
        within = middle <= share * math.fsum(min(total, middle) for total in totals)
        low, high = (middle, high) if within else (low, middle)
    return low


@given(TOTALS, SHARES)
def test_the_level_is_the_fixed_point_that_a_search_finds(totals: list[float], share: float) -> None:
    some = sum(total > 0 for total in totals)
    if some > 2:
        share = max(share, 2 / some)
        cut = [min(total, highest(totals, share)) for total in totals]
        assert max(cut) <= share * math.fsum(cut) * (1 + 1e-9)
        if max(totals) > share * math.fsum(totals):
            assert highest(totals, share) == pytest.approx(by_search(totals, share), rel=1e-6)


def loudest_by_search(totals: list[float], share: float) -> float:
    def fits(level: float) -> bool:
        cut = sorted((min(total, level) for total in totals if total > 0), reverse=True)
        return math.fsum(cut[: len(cut) // LOUDEST]) <= share * math.fsum(cut) * (1 + 1e-12)

    low, high = 0.0, max(totals) * 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


@given(TOTALS, st.floats(0.2, 1))
def test_the_level_of_the_loudest_is_what_a_search_finds(totals: list[float], share: float) -> None:
    level, found = highest_of_loudest(totals, share), loudest_by_search(totals, share)
    for total in totals:
        assert min(total, level) == pytest.approx(min(total, found), rel=1e-6, abs=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 1000), st.floats(0.2, 0.6))
def test_the_loudest_fifth_holds_no_more_together(seed: int, share: float) -> None:
    found = shares(cap_weights(crowd(seed), person_share=1, day_share=1, loudest_share=share), "person")
    loudest = sorted(found.values(), reverse=True)[: len(found) // LOUDEST]
    assert math.fsum(loudest) <= share + 1e-6


@settings(max_examples=20)
@given(st.integers(0, 1000), st.floats(0.08, 0.5), st.floats(0.2, 0.6))
def test_no_person_and_no_day_holds_more(seed: int, person_share: float, day_share: float) -> None:
    labels = cap_weights(crowd(seed), person_share=person_share, day_share=day_share)
    people, days = shares(labels, "person"), shares(labels, "day")
    assert max(people.values()) <= max(person_share, 2 / len(people)) + 1e-6
    assert max(days.values()) <= max(day_share, 2 / len(days)) + 1e-6


def test_the_order_of_the_labels_changes_nothing() -> None:
    labels = crowd(1)
    turned = labels[::-1]
    capped = cap_weights(labels, person_share=0.1, day_share=0.25)
    assert cap_weights(turned, person_share=0.1, day_share=0.25) == capped[::-1]
    assert [replace(one, weight=0) for one in capped] == [replace(one, weight=0) for one in labels]


def test_capping_what_is_capped_changes_next_to_nothing() -> None:
    once = cap_weights(crowd(2), person_share=0.1, day_share=0.25)
    twice = cap_weights(once, person_share=0.1, day_share=0.25)
    assert [one.weight for one in twice] == pytest.approx([one.weight for one in once], rel=1e-6)


def test_one_loud_voter_among_many_weighs_a_tenth() -> None:
    labels = [vote("loud", n % 9) for n in range(500)] + [vote(f"p{n}", n % 9) for n in range(60)]
    capped = cap_weights(labels, person_share=0.1, day_share=0.5)
    assert shares(capped, "person")["loud"] == pytest.approx(0.1)
    assert all(one.weight == 1 for one in capped if one.person != "loud")


@pytest.mark.parametrize("source", sorted({*SOURCES} - {"judged"}))
def test_every_source_is_capped_but_the_judgments_that_have_a_cap_of_their_own(source: Source) -> None:
    labels = [vote("loud", 0, 900.0, source=source), *(vote(f"p{n}", n, source=source) for n in range(40))]
    assert shares(cap_weights(labels, person_share=0.1, day_share=1.0), "person")["loud"] == pytest.approx(0.1)


def test_of_few_people_each_holds_twice_an_equal_part_at_most() -> None:
    labels = [vote("loud", day) for day in range(50)] + [vote(name) for name in "abcdefg"]
    found = shares(cap_weights(labels, person_share=0.1, day_share=1), "person")
    assert found["loud"] == pytest.approx(2 / 8) and found["a"] == pytest.approx(found["g"])
    alone = [vote("one"), vote("one"), vote("other")]
    assert cap_weights(alone, person_share=0.1, day_share=0.1) == alone
    assert cap_weights([], person_share=0.1, day_share=0.1) == []


def test_where_both_leave_nothing_the_cap_of_people_holds() -> None:
    """Days 1 to 9 are one person's, so that days that weigh alike would make that person weigh nine tenths."""
    labels = [vote("often", day) for day in range(1, 10)] + [vote(f"p{n}") for n in range(9)]
    capped = cap_weights(labels, person_share=0.2, day_share=0.2)
    assert shares(capped, "person")["often"] == pytest.approx(0.2)
    assert min(one.weight for one in capped) > 0.1


def test_judgments_count_neither_for_the_total_nor_for_a_person() -> None:
    judged = [vote("annotator", source="judged")] * 50
    votes = [vote(f"p{n}") for n in range(20)]
    assert cap_weights([*judged, *votes], person_share=0.05, day_share=1) == [*judged, *votes]


@pytest.mark.parametrize("asker", ["loud", None])
def test_citations_are_capped_by_who_asked_together_with_their_votes(asker: str | None) -> None:
    loud = [vote(asker, n % 9, source="cited" if n % 2 else "vote") for n in range(500)]
    capped = cap_weights([*loud, *(vote(f"p{n}", n % 9) for n in range(60))], person_share=0.1, day_share=0.5)
    assert shares(capped, "person")[asker] == pytest.approx(0.1)


def test_those_without_a_name_are_one_person() -> None:
    labels = [vote(None) for _ in range(500)] + [vote(f"p{n}") for n in range(60)]
    assert shares(cap_weights(labels, person_share=0.1, day_share=1), "person")[None] == pytest.approx(0.1)


def test_who_is_not_named_and_the_public_are_one_person() -> None:
    """Citations of the public name nobody, its votes and behaviour name `public`."""
    some = [vote(f"p{n}", n % 10) for n in range(60)]
    nobody = [vote(person, n % 10, chunk=f"{person}{n}") for person in (None, "public") for n in range(200)]
    held = shares(cap_weights([*some, *nobody], person_share=0.05, day_share=0.25), "person")
    assert held[None] + held["public"] == pytest.approx(0.05)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("people", [5, 10, 15])
def test_a_bound_on_the_loudest_leaves_something(seed: int, people: int) -> None:
    """Few votes of several people on the same questions have no level that all bounds allow."""
    draw = random.Random(seed)
    labels = [
        replace(vote(f"p{int(people * draw.random() ** 2)}", draw.randrange(9), 0.5, f"c{draw.randrange(6)}"),
                question=f"q{draw.randrange(12)}", relevance=draw.choice((0, 2)), answer_id=f"a{n}")
        for n in range(4 * people)
    ]
    heard = [sum(influence(some, [one.weight for one in some]))
             for some in (labels, cap_influence(labels, person_share=0.05, day_share=0.25, loudest_share=0.25))]
    bare = cap_influence(labels, person_share=0.05, day_share=0.25)
    least = min(NEXT_TO_NOTHING * heard[0], sum(influence(bare, [one.weight for one in bare])))
    assert heard[1] >= least * 0.999
