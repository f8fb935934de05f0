"""Rollback, sweep and purge with vectors on a real Elasticsearch: what is found is FAISS's, what is gone is gone."""

from dataclasses import replace
from pathlib import Path

import pytest
from homes.elastic_scene import OPEN, TEAM, engine_of, rows_of
from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import (
    ANALYSER,
    AUDIENCES,
    DIRECTORY,
    NOW,
    PERMISSIONS,
    REFERENCE_LENGTH,
    RULES,
    SOURCE,
    Batch,
    Engines,
    Paper,
    World,
    open_world,
    publish,
)

from indexers.elastic.engine import ElasticEngine
from indexers.elastic.search import ElasticVectors
from indexers.elastic.server.server import ElasticServer
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore, Keep
from indexers.purging.purge import IndexPurge
from indexers.search.faiss_vectors import VectorIndex
from vouch.access import Permissions, Rule, RuleBook

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]
SECRET = Paper("board/secret.md", (("Merger", ("zanzibar merger", "travel to zanzibar")),))
QUESTIONS = ["zanzibar merger", "travel budget", "badge"]


@pytest.fixture
def engines(elasticsearch_server: Elasticsearch) -> Engines:
    return engines_at(elasticsearch_server.url, vectors=True)


def found(world: World) -> list[list[str]]:
    """What each audience finds for each question, with FAISS's hits, scores and order."""
    lists = []
    for tags in AUDIENCES:
        view = world.index.view(DIRECTORY.audience(tags, NOW))
        assert isinstance(view._engine.dense(view._version), ElasticVectors)
        for question in world.encoder.questions(QUESTIONS):
            hits = view.dense(question, 10)
            assert hits == VectorIndex(view._version).search(question, view._rows, 10)
            lists.append([hit.chunk_id for hit in hits])
    return lists


def seen(world: World) -> set[str]:
    """Paths of all that any audience finds."""
    chunks = [sorted(set(hits)) for hits in found(world)]
    audiences = [tags for tags in AUDIENCES for _ in QUESTIONS]
    views = [world.index.view(DIRECTORY.audience(tags, NOW)) for tags in audiences]
    return {passage.path for view, ids in zip(views, chunks, strict=True) for passage in view.passages(ids)}


def nearest(world: World, text: str) -> float:
    """The largest product of any row of the home on the server with the vector of `text`, whoever may see it."""
    engine = engine_of(world)
    engine._server.refresh(engine._index(world.store.open_current()))
    vector = world.encoder.passages([text])[0].tolist()
    script = {"source": "dotProduct(params.vector, 'vector') + 2.0", "params": {"vector": vector}}
    query = {"script_score": {"query": {"term": {"home": engine._notes.home_id}}, "script": script}}
    reply = engine._server.search(engine._index(world.store.open_current()), {"query": query, "size": 1})
    return max((hit["_score"] - 2.0 for hit in reply["hits"]["hits"]), default=-1.0)


def test_a_rollback_finds_what_it_found_and_writes_no_row(
    engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=engines)
    before = found(world)
    publish(world.store, MemoryVectors(world.encoder), [SECRET.record])
    assert world.store.rollback(1) == 3
    monkeypatch.setattr(ElasticServer, "write", lambda *args: pytest.fail("rows were written"))
    assert found(world) == before
    engine_of(world).wait()


def test_what_was_closed_since_stays_closed_after_a_rollback(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN, TEAM)), Batch((SECRET,))], engines=engines)
    assert OPEN.path in seen(world)
    closed = RuleBook((*RULES.rules, Rule("open/**", frozenset())))
    world.permissions.held = Permissions.settled(2, {SOURCE: closed}, DIRECTORY)
    assert world.store.rollback(1) == 3
    for _ in range(2):                                  # before labels have followed, and after
        assert OPEN.path not in seen(world)
        engine_of(world).wait()


def test_a_sweep_leaves_the_vectors_of_versions_that_stay_and_no_others(engines: Engines, home: Path) -> None:
    held = FixedPermissions(PERMISSIONS)
    store = IndexStore(home, MemoryVersions(), ANALYSER, REFERENCE_LENGTH, Keep(2, 0), engines(home, held))
    world = World(store, LiveIndex(store, held, lambda: NOW), HashEncoder(), held)
    vectors = MemoryVectors(world.encoder)
    publish(store, vectors, [SECRET.record])
    assert nearest(world, "Merger zanzibar merger") > 0.6
    for number in range(5):
        publish(store, vectors, [replace(TEAM, path=f"team/{number % 3}.md", sections=(
            ("Budget", (f"budget number{number}", "travel")),)).record], removed=[SECRET.path] if not number else [])
    found(world)
    engine_of(world).wait()
    store.sweep()
    assert set(rows_of(world)) == {entry.id for number in (5, 6) for entry in store.manifest(number).segments}
    found(world)
    engine_of(world).wait()


def purged(home: Path, world: World, elsewhere: Engines) -> None:
    """The document is purged by `elsewhere`, after which neither form of index holds a row or vector of it."""
    store = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH,
                       lexical=elsewhere(home, world.permissions))
    other = replace(world, store=store)
    other.store.catch_up()
    dense = world if engine_of(world)._vectors else other
    assert nearest(dense, "Merger zanzibar merger") > 0.9
    engine_of(world).wait()
    IndexPurge(home, world.store.versions, [(SOURCE, SECRET.path)], lexical=engine_of(other)).run()
    needed = {entry.id for entry in world.store.open_current().manifest.segments}
    assert set(rows_of(world)) | set(rows_of(other)) <= needed
    assert nearest(dense, "Merger zanzibar merger") < 0.9
    for one in (world, other):
        engine_of(one).wait()


@pytest.mark.parametrize("first", ["vectors", "words alone"])
def test_a_purge_leaves_no_vector_of_the_document_in_any_index(
    elasticsearch_server: Elasticsearch, engines: Engines, home: Path, first: str
) -> None:
    """Whichever form of index the home had first: no setting of now may hide rows of then."""
    plain = engines_at(elasticsearch_server.url)
    one, two = (engines, plain) if first == "vectors" else (plain, engines)
    purged(home, open_world(home, [Batch((OPEN, SECRET)), Batch((TEAM,))], engines=one), two)


def test_a_purge_that_keeps_to_its_own_index_is_found(
    elasticsearch_server: Elasticsearch, engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault."""
    monkeypatch.setattr(ElasticEngine, "_indices", lambda engine: [])
    with pytest.raises(AssertionError):
        purged(home, open_world(home, [Batch((OPEN, SECRET))], engines=engines),
               engines_at(elasticsearch_server.url))
