"""Gaps tell what several people asked, and nothing of what few did. Topics and vectors are drawn, so both are known."""

import random
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vouch.adapters.clustering import density_clusters
from vouch.learning.gaps import gap as gaps
from vouch.learning.gaps import gap_groups, gap_titles
from vouch.learning.gaps.gap import Gap, GapLimits, Unmet, find_gaps, newest
from vouch.learning.gaps.gap_groups import Cluster, Point, linked
from vouch.learning.gaps.gap_titles import normalised
from vouch.ports.models import Vector

NOW = datetime(2026, 11, 23, tzinfo=UTC)
TURN = NOW - timedelta(weeks=4)
TOPICS = {
    "badge": ["how do i renew my badge", "badge renewal where", "my badge is lost renew it", "renew a lost badge"],
    "visa": ["do i need a visa for brazil", "visa for brazil travel", "brazil visa who pays", "travel visa for brazil"],
    "parking": ["is there parking for bikes", "bikes parking garage", "garage parking hours", "where is the parking"],
}
DIMENSIONS = 128


def nothing(vectors: Vector, smallest: int) -> list[int]:
    return [-1] * len(vectors)


CLUSTERS = [nothing, pytest.param(density_clusters, marks=pytest.mark.slow)]    # the library takes seconds to load


def vector_of(text: str, topic: str = "") -> Vector:
    """Near the direction of its topic, which stands in the text if it is not told."""
    topic = topic or next((name for name in TOPICS if name in text), text)
    base = np.random.default_rng(sum(topic.encode()) * 7919).normal(size=DIMENSIONS)
    own = np.random.default_rng(sum(n * c for n, c in enumerate(text.encode(), 1))).normal(size=DIMENSIONS)
    vector = base / np.linalg.norm(base) + 0.3 * own / np.linalg.norm(own)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def asks(topic: str, people: Sequence[str], each: int = 1, at: datetime = NOW - timedelta(days=3)) -> list[Unmet]:
    texts = TOPICS[topic]
    return [Unmet(texts[(n + k) % len(texts)], person, at, "declined")
            for n, person in enumerate(people) for k in range(each)]


def found(asked: Sequence[Unmet], limits: GapLimits | None = None, cluster: Cluster = nothing) -> list[Gap]:
    vectors = {one.text: vector_of(one.text) for one in asked}
    return find_gaps(asked, vectors, TURN, cluster, str.split, limits or GapLimits())


def told(gaps_: Sequence[Gap]) -> list[object]:
    return [replace(gap, centre=gap.centre.tobytes()) for gap in gaps_]    # type: ignore[arg-type]


def people(number: int, prefix: str = "p") -> list[str]:
    return [f"user:{prefix}{n}" for n in range(number)]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_topics_are_told_apart_and_askers_counted(cluster: Cluster) -> None:
    asked = asks("badge", people(6)) + asks("visa", people(5), 2) + asks("parking", people(4, "q"), 3)
    gaps_ = found(asked, cluster=cluster)
    assert [(gap.askers, gap.questions) for gap in gaps_] == [(6, 6), (5, 10), (4, 12)]
    assert all(topic in gap.title for topic, gap in zip(TOPICS, gaps_, strict=True))


def test_one_person_who_asks_a_hundred_times_is_one_asker() -> None:
    many = asks("badge", ["user:one"], 100)
    assert found(many) == []
    assert found(many + asks("badge", ["user:two"], 50)) == []
    (gap,) = found(many + asks("badge", ["user:two", "user:three"]))
    assert (gap.askers, gap.questions) == (3, 102)


def test_a_title_and_an_example_have_words_of_several_askers_alone() -> None:
    asked = asks("badge", people(5))
    asked += [Unmet("renew my badge for project qzxsecret", "user:p0", NOW - timedelta(days=1), "declined")] * 40
    asked += [Unmet("badge qzxtwice renew", f"user:p{n}", NOW - timedelta(days=1), "declined") for n in (1, 2)]
    (gap,) = found(asked)
    assert gap.title[:2] == ("badge", "renew") and "qzx" not in repr(replace(gap, centre=None))
    assert gap.examples == ()
    (gap,) = found(asked + [Unmet("badge qzxthrice", f"user:p{n}", NOW, "declined") for n in (1, 2, 3)])
    assert gap.examples == ("badge qzxthrice",) and "qzxthrice" in gap.title


def test_a_word_that_everybody_uses_everywhere_names_nothing() -> None:
    asked = [replace(one, text=f"please {one.text}") for one in
             asks("badge", people(6)) + asks("visa", people(6, "q")) + asks("parking", people(6, "r"))]
    vectors = {one.text: vector_of(one.text) for one in asked}
    for gap in find_gaps(asked, vectors, TURN, nothing, str.split, GapLimits()):
        assert "please" not in gap.title[:2]


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("seed", range(20))
def test_two_worlds_with_and_without_what_few_asked_tell_the_same(seed: int, cluster: Cluster) -> None:
    print(f"seed {seed}")
    draw = random.Random(seed)
    asked = asks("badge", people(draw.randint(3, 8))) + asks("visa", people(draw.randint(3, 8)), 2)
    lone = asks("parking", people(draw.randint(1, 2), "lone"), draw.randint(1, 30))
    lone += [Unmet(f"badger {draw.random()}", "user:p0", NOW, "declined") for _ in range(draw.randint(0, 5))]
    far = {one.text: vector_of(one.text, "parking" if "parking" in one.text else one.text) for one in lone}
    vectors = {one.text: vector_of(one.text) for one in asked} | far
    mixed = asked + lone
    draw.shuffle(mixed)
    one, other = (told(find_gaps(world, vectors, TURN, cluster, str.split, GapLimits())) for world in (asked, mixed))
    assert one == other and len(one) == 2


def test_if_small_groups_were_dropped_only_in_the_end_their_words_would_weigh(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plant: all questions are counted for what is rare, and the small groups are left out afterwards."""
    asked = [Unmet(f"renew badge now {n}", f"user:p{n}", NOW, "declined") for n in range(4)]
    lone = [Unmet(f"badge badge-{n}", "user:lone", NOW, "declined") for n in range(3)]
    vectors = {one.text: vector_of(one.text) for one in asked} | {one.text: vector_of(one.text, "x") for one in lone}

    def titles() -> list[tuple[str, ...]]:
        return [gap.title for gap in find_gaps(asked + lone, vectors, TURN, nothing, str.split, GapLimits())]

    without = [gap.title for gap in find_gaps(asked, vectors, TURN, nothing, str.split, GapLimits())]
    assert titles() == without
    monkeypatch.setattr(gaps, "linked_enough", lambda points, alike, askers: list(points))
    assert titles() != without


def test_the_period_before_is_counted_only_if_enough_asked_then() -> None:
    earlier = TURN - timedelta(days=1)
    now = asks("badge", people(4))
    assert found(asks("badge", people(4), at=earlier)) == []
    (gap,) = found(now + asks("badge", people(2), 5, at=earlier))
    assert (gap.questions, gap.before, gap.trend) == (4, None, None)
    (gap,) = found(now + asks("badge", people(3), 3, at=earlier))
    assert (gap.questions, gap.before, gap.trend) == (4, 9, -5)


def test_why_is_counted() -> None:
    asked = [replace(one, why=why) for one, why in zip(
        asks("badge", people(4)), ["declined", "voted down", "declined", "low confidence"], strict=True)]
    (gap,) = found(asked)
    assert gap.why == {"declined": 2, "low confidence": 1, "voted down": 1}


def test_the_same_words_are_the_same_question() -> None:
    assert normalised("  How do I\tRenew my badge?? ") == normalised("how do i renew my BADGE.") == TOPICS["badge"][0]


@given(st.integers(0, 2**32), st.integers(1, 40), st.floats(0.1, 0.95))
def test_links_are_the_components_of_the_graph(seed: int, number: int, alike: float) -> None:
    """Against a search by hand."""
    vectors = np.random.default_rng(seed).normal(size=(number, 5))
    vectors = np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
    groups = linked(list(vectors), alike)
    assert sorted(n for group in groups for n in group) == list(range(number))
    where = {n: g for g, group in enumerate(groups) for n in group}
    cosine = vectors.astype(float) @ vectors.astype(float).T
    near = cosine >= alike
    for n, m in zip(*np.nonzero(near), strict=True):
        assert where[n] == where[m] or cosine[n, m] - alike < 1e-3
    for group in groups:
        reached, queue = {group[0]}, [group[0]]
        while queue:
            new = set(np.flatnonzero(cosine[queue.pop()] >= alike - 1e-3)) & set(group) - reached
            reached |= new
            queue += new
        assert reached == set(group)


def test_spellings_that_few_share_are_told_as_the_stem() -> None:
    stem = {"renewing": "renew", "renewed": "renew", "renewal": "renew"}
    asked = [Point(word, vector_of(word, "x"), frozenset()) for word in stem]
    said = [Unmet(point.text, f"user:{n}", NOW, "declined") for n, point in enumerate(asked)]
    titles = gap_titles.Titles(said, lambda word: [stem[word]], 3)
    assert titles.of(said) == ("renew",)


def by_lists(vectors: Vector, alike: float) -> list[list[int]]:
    """The components again, from a list of all that each is linked to: plain, and too much for thousands."""
    grid = np.rint(vectors.astype(np.float64) * 4096)
    beside = [np.flatnonzero(row).tolist() for row in grid @ grid.T >= alike * 4096 * 4096]
    seen, groups = set[int](), list[list[int]]()
    for first in range(len(vectors)):
        group, queue = set[int](), [first]
        while queue and first not in seen:
            here = queue.pop()
            queue += [n for n in beside[here] if n not in group]
            group |= {here, *beside[here]}
        seen |= group
        groups += [sorted(group)] if group else []
    return groups


def near_some(seed: int, number: int, kinds: int, spread: float) -> Vector:
    """Unit vectors, each beside one of so many directions."""
    draw = np.random.default_rng(seed)
    found = draw.normal(size=(kinds, 16))[draw.integers(kinds, size=number)] + spread * draw.normal(size=(number, 16))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


@pytest.mark.parametrize("block", [1, 3, 8, 512])
@pytest.mark.parametrize("seed", range(12))
def test_links_do_not_depend_on_the_blocks(seed: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    print(f"seed {seed}")
    monkeypatch.setattr(gap_groups, "_BLOCK", block)
    vectors = near_some(seed, 60, 1 + seed % 5, (0.2, 0.8, 2.0)[seed % 3])
    for alike in (0.4, 0.55, 0.8):
        assert linked(list(vectors), alike) == by_lists(vectors, alike)


def test_alike_questions_are_linked_without_all_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One person's flood is one component after its first block; two floods, of two people, are after two."""
    products = 0

    def counted(rows: NDArray[np.float64], columns: NDArray[np.float64], least: float) -> NDArray[np.bool_]:
        nonlocal products
        products += len(rows) * len(columns)
        return near(rows, columns, least)

    near = gap_groups._near
    monkeypatch.setattr(gap_groups, "_near", counted)
    many = 3000
    assert len(linked(list(near_some(1, many, 1, 0.05)), 0.55)) == 1
    assert products <= 512 * many
    products = 0
    scattered = list(np.random.default_rng(2).normal(size=(many, 400)).astype(np.float32) / 20)
    assert len(linked(scattered, 0.55)) == many and products <= many * (many + 512) / 2 + 512 * many, "each pair once"


def test_memory_of_linking_grows_with_the_questions() -> None:
    def peak(many: int) -> int:
        vectors = list(near_some(3, many, 1, 0.05))
        tracemalloc.start()
        linked(vectors, 0.55)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(4000) < 5 * peak(1000), "sixteen times as much if links were kept"


@pytest.mark.parametrize("seed", range(20))
def test_the_newest_texts_of_a_person_in_each_period_are_kept(seed: int) -> None:
    print(f"seed {seed}")
    draw = random.Random(seed)
    asked = [Unmet(f"text {draw.randrange(9)}", f"user:{draw.randrange(3)}",
                   TURN + timedelta(days=draw.randrange(-9, 9)), "declined") for _ in range(60)]
    kept = newest(asked, TURN, 4)
    for asker in people(3, ""):
        for before in (True, False):
            mine = [one for one in asked if one.asker == asker and (one.at < TURN) is before]
            last = sorted({one.text for one in mine}, reverse=True,
                          key=lambda text: (max(one.at for one in mine if one.text == text), text))[:4]
            assert [one for one in kept if one.asker == asker and (one.at < TURN) is before] == [
                one for one in mine if one.text in last]
        alone = [one for one in asked if one.asker == asker]
        assert newest(alone, TURN, 4) == [one for one in kept if one.asker == asker], "others do not matter"
    assert newest(kept, TURN, 4) == kept and newest(asked, TURN, 9) == asked


def test_a_flood_of_a_lone_asker_changes_nothing_and_is_cut() -> None:
    asked = asks("badge", people(4)) + asks("visa", people(4, "q"))
    flood = [Unmet(f"parking {n}", "user:lone", NOW - timedelta(minutes=n), "declined") for n in range(300)]
    kept = newest(asked + flood, TURN, GapLimits().texts)
    assert len(kept) == len(asked) + 200 and flood[199] in kept and flood[200] not in kept
    assert told(found(kept)) == told(found(newest(asked, TURN, GapLimits().texts))) and len(found(kept)) == 2
