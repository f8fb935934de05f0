"""Two documents on a real Elasticsearch, and looks at what lies there."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from two_world.worlds import ANALYSER, DIRECTORY, NOW, REFERENCE_LENGTH, Engines, Paper, World

from indexers.elastic.engine import ElasticEngine
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.search.labels import label_id
from indexers.search.view import LiveView
from vouch.access import Label
from vouch.values.candidate import Hit

OPEN = Paper("open/travel.md", (
    ("Travel", ("travel needs approval", "a badge and a laptop", "travel needs approval")),
    ("Leave", ("leave is paid",)),
))
TEAM = Paper("team/budget.md", (("Budget", ("travel budget of the team", "budget and approval")),))
TERMS = ANALYSER.terms("travel budget approval leave")
CY = DIRECTORY.audience(["user:cy@acme.test"], NOW)


def engine_of(world: World) -> ElasticEngine:
    assert isinstance(world.store.lexical, ElasticEngine)
    return world.store.lexical


def without_following(engines: Engines) -> Engines:
    """Engines whose labels never follow the rules."""
    def engine(home: Path, permissions: Any) -> Any:
        made = engines(home, permissions)
        made.follow = lambda version, permissions: None     # type: ignore[method-assign]
        return made
    return engine


def world_again(world: World, home: Path, engines: Engines) -> LiveIndex:
    """Another process on the same home."""
    engine = without_following(engines)(home, world.permissions)
    store = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH, lexical=engine)
    return LiveIndex(store, world.permissions, lambda: NOW)


def assert_alike(found: Sequence[Hit], wanted: Sequence[Hit]) -> None:
    """Equal rows, scores within 1e-4 of each other, and order by score and id."""
    assert {h.chunk_id for h in found} == {h.chunk_id for h in wanted}
    scores = {h.chunk_id: h.score for h in wanted}
    for hit in found:
        assert hit.score == pytest.approx(scores[hit.chunk_id], rel=1e-4)
    assert [(-h.score, h.chunk_id) for h in found] == sorted((-h.score, h.chunk_id) for h in found)


def assert_same_views(first: LiveView, second: LiveView, terms: Sequence[str]) -> None:
    whole = first.lexical(terms, 1000)
    assert_alike(whole, second.lexical(terms, 1000))
    assert first.lexical(terms, 3) == whole[:3]
    assert first.statistics(terms) == second.statistics(terms)


def labels_on_server(world: World) -> dict[str, int]:
    """Rows of the current version on the server, by who may read them."""
    names = {label_id(Label(frozenset({tag}))): tag for tag in ("public", "group:staff", "group:people")}
    engine, version = engine_of(world), world.store.open_current()
    assert version is not None
    found = engine._audit.counts(engine._places(version))
    return {names[label]: count for counts in found.values() for label, count in counts.items()}


def rows_of(world: World) -> Counter[str]:
    """Rows of the home on the server, by segment."""
    engine = engine_of(world)
    reply = engine._server.search(engine._index(world.store.open_current()), {
        "query": {"term": {"home": engine._notes.home_id}}, "size": 1000, "source": False,
    })
    return Counter(hit["_id"].partition(":")[0] for hit in reply["hits"]["hits"])
