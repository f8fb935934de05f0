"""A filtered view is that of an index which holds nothing else: what is left out moves no score and no place."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes.memory import folder_in_memory
from hypothesis import given, settings
from hypothesis import strategies as st
from two_world.drawing import ALIKE
from two_world.stand_ins import MemoryVectors
from two_world.worlds import (
    ANALYSER,
    AUDIENCES,
    DIRECTORY,
    FOLDERS,
    NOW,
    RULES,
    SOURCE,
    WORDS,
    Batch,
    Paper,
    World,
    make_record,
    open_world,
    publish,
)

from indexers.search import visibility
from indexers.search import visibility as filtering
from vouch.access import OwnerBook, OwnerRule, Permissions
from vouch.errors import Denied
from vouch.filters import EVERYTHING, Filters

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]
CHOICES = (
    (Filters(paths=("open/**",)), "open/"), (Filters(paths=("team/",)), "team/"),
    (Filters(paths=("people",)), "people/"),
    (Filters(sources=(SOURCE,), paths=("board/*.md",)), "board/"),
)
passages = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
papers = st.lists(
    st.builds(lambda folder, number, text: Paper(f"{folder}/{number}.md", (("", tuple(text)),)),
              st.sampled_from(FOLDERS), st.integers(0, 5), st.lists(passages, min_size=1, max_size=3)),
    min_size=1, max_size=14, unique_by=lambda paper: paper.path,
)


def opened(home: Path, written: list[Paper]) -> World:
    return open_world(home, (Batch(tuple(written)),))


def seen(world: World, tags: list[str], question: str, filters: Filters) -> Mapping[str, Any]:
    view = world.index.view(DIRECTORY.audience(tags, NOW), filters)
    terms = ANALYSER.terms(question)
    vector = world.encoder.questions([question])[0]
    ids = [hit.chunk_id for hit in view.dense(vector, 100)]
    return {"lexical": view.lexical(terms, 100), "dense": view.dense(vector, 100), "passages": view.passages(ids),
            "statistics": view.statistics(terms), "beside": [view.around(one, 2, 2) for one in ids]}


def compared(written: list[Paper], tags: list[str], question: str, choice: tuple[Filters, str]) -> bool:
    filters, folder = choice
    left = [paper for paper in written if paper.path.startswith(folder)]
    with folder_in_memory() as place:
        narrowed = seen(opened(place / "all", written), tags, question, filters)
        if not left:
            return not any(narrowed[name] for name in ("lexical", "dense", "passages", "beside"))
        alone = seen(opened(place / "left", left), tags, question, EVERYTHING)
    return narrowed == alone


def check(holds: list[bool], examples: int) -> Callable[[], None]:
    @settings(ALIKE, max_examples=examples)
    @given(papers, st.sampled_from(AUDIENCES), passages, st.sampled_from(CHOICES))
    def run(written: list[Paper], tags: list[str], question: str, choice: tuple[Filters, str]) -> None:
        holds.append(compared(written, tags, question, choice))

    return run


def test_a_filtered_view_is_that_of_an_index_with_nothing_else() -> None:
    holds: list[bool] = []
    check(holds, 80)()
    assert len(holds) >= 80 and all(holds)


def test_a_filter_that_shows_what_may_not_be_read_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: filters that choose among all documents widen what the audience may read."""
    real = filtering.filtered

    def wide(version: Any, permissions: Any, documents: Any, filters: Filters) -> Any:
        return real(version, permissions, np.ones_like(documents), filters) if filters else documents

    monkeypatch.setattr(visibility, "filtered", wide)
    holds: list[bool] = []
    check(holds, 60)()
    assert not all(holds)


def test_a_passage_that_is_filtered_out_is_not_shown() -> None:
    with folder_in_memory() as place:
        world = opened(place, [Paper("open/a.md", (("", ("budget",)),)), Paper("open/b.md", (("", ("budget",)),))])
        view = world.index.view(DIRECTORY.audience(["public"], NOW), Filters(paths=("open/a.md",)))
        [kept] = view.of_document(SOURCE, "open/a.md")
        assert view.of_document(SOURCE, "open/b.md") == [] and view.starting(kept[:6]) == [kept]
        [left] = world.index.view(DIRECTORY.audience(["public"], NOW)).of_document(SOURCE, "open/b.md")
        with pytest.raises(Denied):
            view.passages([left])


def test_many_filters_keep_the_masks_of_whole_audiences() -> None:
    with folder_in_memory() as place:
        world = opened(place, [Paper("open/a.md", (("", ("budget",)),))])
        public = DIRECTORY.audience(["public"], NOW)
        before = world.index.view(public)._rows
        for number in range(200):
            assert world.index.view(public, Filters(paths=(f"open/{number}.md",)))._rows.count == 0
        assert world.index.view(public)._rows is before


def test_who_filters_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask may take long to compute, as it looks at each document; others get theirs meanwhile."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(self: Filters, source: str, path: str) -> bool:
        begun.set()
        assert go_on.wait(20)
        return True

    monkeypatch.setattr(Filters, "places", slow)
    with folder_in_memory() as place, ThreadPoolExecutor(2) as pool:
        world = opened(place, [Paper("open/a.md", (("", ("budget",)),))])
        public = DIRECTORY.audience(["public"], NOW)
        first = pool.submit(lambda: world.index.view(public, Filters(paths=("open/**",)))._rows.count)
        try:
            assert begun.wait(20)
            other = pool.submit(lambda: world.index.view(public)._rows.count)
            assert other.result(10) == 1 and not first.done()
        finally:
            go_on.set()
        assert first.result(20) == 1


@pytest.mark.parametrize(("pattern", "inside", "outside"), [
    ("hr/travel.md", ["hr/travel.md"], ["hr/travel.md.old", "x/hr/travel.md", "hr/travel"]),
    ("hr", ["hr/a.md", "hr/b/c.md", "hr"], ["hrx/a.md", "a/hr/b.md"]),
    ("hr/", ["hr/a.md"], ["hr", "hrx/a.md"]),
    ("hr/*.md", ["hr/a.md"], ["hr/b/a.md"]),
    ("**/a.md", ["a.md", "x/y/a.md"], ["x/ba.md"]),
    ("cafe\u0301/**", ["caf\u00e9/a.md"], ["cafe/a.md"]),
])
def test_paths(pattern: str, inside: list[str], outside: list[str]) -> None:
    filters = Filters(paths=(pattern,))
    assert all(filters.places("s", path) for path in inside)
    assert not any(filters.places("s", path) for path in outside)


def test_days_are_those_of_utc_and_a_document_without_one_is_left_out() -> None:
    filters = Filters(after=date(2026, 1, 2))
    assert filters.dates(datetime(2026, 1, 2, tzinfo=UTC)) and not filters.dates(None)
    assert not filters.dates(datetime.fromisoformat("2026-01-02T00:30:00+01:00")) and EVERYTHING.dates(None)


def test_narrowing_to_other_sources_leaves_none_and_never_more() -> None:
    assert Filters(sources=("a", "b")).within(("b", "c")).sources == ("b",)
    assert Filters(sources=("a",)).within(("b",)).sources == () and Filters().within(("b",)).sources == ("b",)
    assert Filters(sources=("a",)).within(None).sources == ("a",)
    assert Filters(sources=()) and not Filters(sources=()).places("a", "x.md") and not Filters()


def test_a_day_leaves_what_changed_since() -> None:
    with folder_in_memory() as place:
        world = opened(place, [Paper("open/a.md", (("", ("budget",)),))])
        dated = make_record(SOURCE, "open/b.md", [("", ["budget"])], changed_at=datetime(2026, 3, 1, tzinfo=UTC))
        publish(world.store, MemoryVectors(world.encoder), [dated])
        public = DIRECTORY.audience(["public"], NOW)
        for day, left in ((date(2026, 3, 1), ["open/b.md"]), (date(2026, 3, 2), [])):
            view = world.index.view(public, Filters(after=day))
            found = view.passages([hit.chunk_id for hit in view.lexical(ANALYSER.terms("budget"), 9)])
            assert [one.path for one in found] == left


def paths_of(world: World, filters: Filters) -> list[str]:
    view = world.index.view(DIRECTORY.audience(["public"], NOW), filters)
    found = view.passages([hit.chunk_id for hit in view.lexical(ANALYSER.terms("budget"), 9)])
    return sorted(one.path for one in found)


def test_an_owner_leaves_what_names_them_and_new_owners_count_at_once() -> None:
    ana, people = Filters(owners=("user:ana",)), Filters(owners=("group:people",))
    with folder_in_memory() as place:
        world = open_world(place, [Batch((Paper("open/a.md", (("", ("budget",)),)),
                                          Paper("board/b.md", (("", ("budget",)),))))], owned(1, "user:ana"))
        stated = make_record(SOURCE, "open/c.md", [("", ["budget"])], owners=frozenset({"group:people"}))
        publish(world.store, MemoryVectors(world.encoder), [stated])
        assert paths_of(world, ana) == ["open/a.md"] and paths_of(world, people) == ["open/c.md"]
        assert paths_of(world, Filters(owners=("user:ana", "group:people"))) == ["open/a.md", "open/c.md"]
        assert paths_of(world, Filters(owners=("user:eve",))) == []
        world.permissions.held = owned(2, "group:people")
        assert paths_of(world, ana) == [] and paths_of(world, people) == ["open/a.md", "open/c.md"]


def owned(epoch: int, owner: str) -> Permissions:
    """All that the rules leave open, and `owner` looks after everything that names nobody."""
    book = replace(RULES, owners=OwnerBook((OwnerRule("**", frozenset({owner})),)))
    return Permissions.settled(epoch, {SOURCE: book}, DIRECTORY)
