"""Vectors on a real Elasticsearch: the hits of the exact FAISS files, bit for bit, whatever is hidden beside them."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes.elastic_scene import OPEN, TEAM, engine_of
from hypothesis import given, settings
from learning_scene.ten_groups import GROUPS, TEN_GROUPS, reader_of
from servers.elastic import Elasticsearch
from two_world.drawing import ALIKE, world_pairs
from two_world.elastic import engines_at
from two_world.observing import differences
from two_world.stand_ins import FixedPermissions, MemoryVersions
from two_world.worlds import (
    ANALYSER,
    AUDIENCES,
    DIRECTORY,
    NOW,
    PERMISSIONS,
    PUBLIC,
    RULES,
    SOURCE,
    Batch,
    Engines,
    Pair,
    World,
    make_record,
    open_world,
)

from composition.storage import lexical_engine
from indexers.elastic.engine import ElasticEngine
from indexers.elastic.search import ElasticVectors
from indexers.elastic.server.server import ElasticServer
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.search.faiss_vectors import VectorIndex
from indexers.segments.hnsw import FINGERPRINT, NOT_LEAK_FREE, SERVER_GRAPH, GraphSearch, recipe_of, warnings_of
from vouch.access import Audience, Permissions, Rule, RuleBook
from vouch.errors import IndexDown, Usage

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]
DIMENSIONS, ROWS = 24, 1_500
EXACT: dict[str, str] = {}
GRAPHS = {FINGERPRINT: SERVER_GRAPH}


@pytest.fixture
def engines(elasticsearch_server: Elasticsearch) -> Engines:
    return engines_at(elasticsearch_server.url, vectors=True)


def test_hidden_documents_change_nothing(engines: Engines) -> None:
    @settings(ALIKE, max_examples=8)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert differences(pair, engines=engines) == []

    check()


class Crowd:
    """Rows in several segments, many with vectors equal to or nearly equal to others, in groups."""

    def __init__(self, home: Path, engines: Engines, seed: int, fingerprints: Mapping[str, str] = EXACT) -> None:
        rng = np.random.default_rng(seed)
        self.centres = rng.standard_normal((40, DIMENSIONS))
        self.held = FixedPermissions(TEN_GROUPS)
        self.engine = engines(home, self.held)
        assert isinstance(self.engine, ElasticEngine)
        self.store = IndexStore(home, MemoryVersions(), ANALYSER, 9.0, lexical=self.engine)
        for start, end in ((0, 900), (900, 1400), (1400, ROWS)):
            records = [make_record("s", f"g{n % GROUPS}/{n}.md", [("Title", [f"word{n}"])]) for n in range(start, end)]
            near = self.centres[rng.integers(40, size=end - start)]
            near = near + rng.choice([0.0, 1e-4, 0.2], (end - start, 1)) * rng.standard_normal(near.shape)
            rows = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float16)
            self.store.publish(self.store.open_current(), changed=records, moved={}, removed=[], cursors={},
                               fingerprints=fingerprints, vectors=lambda keys, rows=rows: rows[: len(keys)])
        self.questions = [*self.centres[:5].astype(np.float32), rng.standard_normal(DIMENSIONS).astype(np.float32),
                          -self.centres[7].astype(np.float32), np.zeros(DIMENSIONS, np.float32)]

    def compare(self) -> int:
        """Every audience, question and number of hits wanted, on both sides; how many hits were equal."""
        index, count = LiveIndex(self.store, self.held), 0
        for groups in (1, 5, GROUPS):
            view = index.view(reader_of(groups))
            exact = VectorIndex(view._version)
            for question in self.questions:
                for top in (1, 10, 200, 2 * ROWS):
                    wanted = exact.search(question, view._rows, top)
                    assert view.dense(question, top) == wanted
                    count += len(wanted)
        return count


def test_hits_scores_and_order_are_those_of_faiss(engines: Engines, home: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    crowd = Crowd(home, engines, seed)
    assert len(crowd.store.open_current().segments) > 1
    count = crowd.compare()
    crowd.engine.wait()                                 # type: ignore[attr-defined]
    print(f"\nseed {seed}: {count} hits equal, bit for bit")
    assert count > 10_000


def test_a_server_that_computes_badly_is_found(
    engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: products off by more than the margin in which rows are compared anew."""
    crowd = Crowd(home, engines, 7)
    coarse = "Math.max(0.0, dotProduct(params.vector, 'vector') + 2.0 + 0.01 * (doc['row'].value % 7))"
    monkeypatch.setattr("indexers.elastic.search._PRODUCT", coarse)
    with pytest.raises(AssertionError):
        crowd.compare()
    crowd.engine.wait()                                 # type: ignore[attr-defined]


def test_a_change_of_rules_counts_before_labels_follow_and_vectors_stay_when_they_do(
    engines: Engines, home: Path
) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=engines)
    engine = engine_of(world)
    follow, engine.follow = engine.follow, lambda version, permissions: None    # type: ignore[method-assign]
    closed = RuleBook((*RULES.rules, Rule("open/travel.md", frozenset({"group:people"}))))
    world.permissions.held = Permissions.settled(2, {SOURCE: closed}, DIRECTORY)
    for _ in range(2):
        for tags in AUDIENCES:
            assert_as_faiss(world, DIRECTORY.audience(tags, NOW))
        follow(world.store.open_current(), world.permissions.held)
        engine.wait()
    assert world.store.verify(1) == []


def assert_as_faiss(world: World, audience: Audience) -> None:
    view = world.index.view(audience)
    for question in world.encoder.questions(["travel budget", "badge"]):
        assert view.dense(question, 3) == VectorIndex(view._version).search(question, view._rows, 3)


def test_rows_the_server_lost_stop_searches(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=engines)
    engine = engine_of(world)
    lost = {"bool": {"filter": [{"term": {"home": engine._notes.home_id}}, {"term": {"row": 1}}]}}
    engine._server.delete(engine._index(world.store.open_current()), lost)
    with pytest.raises(IndexDown):
        world.index.view(PUBLIC).dense(world.encoder.questions(["travel"])[0], 10)
    engine.wait()


def test_vectors_may_come_and_go_with_the_setting(elasticsearch_server: Elasticsearch, home: Path) -> None:
    """Rows with vectors lie in another index: the next ingest writes what it lacks, and neither disturbs the other."""
    plain, dense = (engines_at(elasticsearch_server.url, vectors=vectors) for vectors in (False, True))
    world = open_world(home, [Batch((OPEN, TEAM))], engines=plain)
    assert world.store.lexical.dense(world.store.open_current()) is None
    wanted = world.index.view(PUBLIC).lexical(ANALYSER.terms("travel"), 10)
    with_vectors = IndexStore(home, world.store.versions, ANALYSER, world.store._reference_length,
                              lexical=dense(home, world.permissions))
    with_vectors.catch_up()
    view = LiveIndex(with_vectors, world.permissions, lambda: NOW).view(PUBLIC)
    assert isinstance(view._engine.dense(view._version), ElasticVectors)
    assert view.lexical(ANALYSER.terms("travel"), 10) == wanted == world.index.view(PUBLIC).lexical(
        ANALYSER.terms("travel"), 10)
    assert view.dense(world.encoder.questions(["x"])[0], 10) == world.index.view(PUBLIC).dense(
        world.encoder.questions(["x"])[0], 10)
    for store in (with_vectors, world.store):
        store.lexical.wait()                            # type: ignore[attr-defined]
        assert store.verify(1) == []


def test_graphs_find_nearly_the_best_for_broad_audiences_and_say_what_they_are(
    engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recipe_of(GRAPHS) is None and warnings_of(GRAPHS) == [NOT_LEAK_FREE]
    crowd = Crowd(home, engines, 7, GRAPHS)
    asked: list[dict[str, Any]] = []
    search = ElasticServer.search
    monkeypatch.setattr(ElasticServer, "search", lambda *words: asked.append(words[2]) or search(*words))
    shares = {}
    for groups, graphs in ((GROUPS, GraphSearch(500, 0.2)), (1, GraphSearch(500, 0.2)), (GROUPS, None)):
        view = LiveIndex(crowd.store, crowd.held, graphs=graphs).view(reader_of(groups))
        assert view.notes == ((NOT_LEAK_FREE,) if graphs else ())
        exact = VectorIndex(view._version)
        asked.clear()
        best = [exact.search(question, view._rows, 10) for question in crowd.questions]
        found = [view.dense(question, 10) for question in crowd.questions]
        assert sum("knn" in body for body in asked) == (len(found) if graphs and groups == GROUPS else 0)
        assert all(view.shows(hit.chunk_id) for hits in found for hit in hits)
        scores = [[hit.score for hit in hits] for hits in found]
        assert all(one == sorted(one, reverse=True) for one in scores)
        shares[groups, graphs] = np.mean([
            hit.score >= wanted[-1].score for wanted, hits in zip(best, found, strict=True) for hit in hits])
    crowd.engine.wait()                                 # type: ignore[attr-defined]
    broad, narrow, never = shares.values()
    assert narrow == never == 1.0 and broad > 0.8
    crowd.engine._server.delete(crowd.engine._index(view._version), {"term": {"home": crowd.engine._notes.home_id}})
    with pytest.raises(IndexDown):                      # and not: nothing found
        LiveIndex(crowd.store, crowd.held, graphs=GraphSearch()).view(reader_of(GROUPS)).dense(crowd.questions[0], 9)
    crowd.engine.wait()                                 # type: ignore[attr-defined]


def test_vectors_on_a_server_need_words_there(tmp_path: Path) -> None:
    with pytest.raises(Usage, match="VOUCH_LEXICAL__KIND"):
        lexical_engine({"kind": "embedded"}, {"kind": "elasticsearch"}, tmp_path, ANALYSER,
                       FixedPermissions(PERMISSIONS))
