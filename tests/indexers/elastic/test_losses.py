"""A real Elasticsearch that is away, busy or lost rows: an outage, and never a shorter list."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from homes.elastic_scene import CY, OPEN, TEAM, TERMS, engine_of, without_following, world_again
from servers.elastic import Elasticsearch
from servers.process import free_port
from two_world.elastic import engines_at
from two_world.stand_ins import HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, PUBLIC, REFERENCE_LENGTH, Batch, Engines, open_world, publish

from indexers.elastic.engine import ElasticEngine
from indexers.elastic.server.server import ElasticServer
from indexers.publishing.index_store import IndexStore
from vouch.errors import Damaged, IndexDown

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]


def test_rows_the_server_lost_stop_searches_until_they_are_back(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=without_following(engines))
    wanted = world.index.view(PUBLIC).lexical(TERMS, 10)
    engine = engine_of(world)
    lost = {"bool": {"filter": [{"term": {"home": engine._notes.home_id}}, {"term": {"row": 1}}]}}
    assert engine._server.delete(engine._index(world.store.open_current()), lost) == 1
    assert len(world.store.verify(1)) == 1
    fresh = world_again(world, home, engines)
    with pytest.raises(IndexDown):
        fresh.view(PUBLIC).lexical(TERMS, 10)
    world.store.catch_up()
    assert world.store.verify(1) == []
    assert world_again(world, home, engines).view(PUBLIC).lexical(TERMS, 10) == wanted


def test_an_index_that_is_gone_is_made_again(elasticsearch_server: Elasticsearch, home: Path) -> None:
    engines = engines_at(elasticsearch_server.url, index_prefix="gone")
    world = open_world(home, [Batch((OPEN,)), Batch((TEAM,))], engines=engines)
    wanted = world.index.view(CY).lexical(TERMS, 10)
    engine = engine_of(world)
    engine.wait()
    for index in engine._indices():
        engine._server._client.indices.delete(index=index)
    with pytest.raises(IndexDown):
        world.index.view(CY).lexical(["laptop"], 10)
    world.index.follow()                                # as a worker does
    engine.wait()
    assert world.index.view(CY).lexical(TERMS, 10) == wanted and world.store.verify(2) == []


def test_rows_that_are_gone_are_missed_by_a_question_asked_before(
    elasticsearch_server: Elasticsearch, home: Path
) -> None:
    """Its words are counted already, so nothing but the search itself can tell."""
    engines = engines_at(elasticsearch_server.url, index_prefix="emptied")
    world = open_world(home, [Batch((OPEN, TEAM))], engines=engines)
    view, engine = world.index.view(CY), engine_of(world)
    assert view.lexical(TERMS, 10)
    engine.wait()
    for index in engine._indices():
        engine._server.delete(index, {"match_all": {}})
    with pytest.raises(IndexDown, match="finds 0 rows where"):
        view.lexical(TERMS, 10)
    engine.wait()


def test_a_server_that_is_away_is_an_outage_and_never_nothing_found(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=engines)
    away = world_again(world, home, engines_at(f"http://127.0.0.1:{free_port()}", patience_seconds=0.3))
    view = away.view(PUBLIC)
    for ask in (lambda: view.lexical(TERMS, 10), lambda: view.statistics(TERMS), away._store.lexical.check):
        with pytest.raises(IndexDown):
            ask()
    assert view.lexical([], 10) == [] and len(view.dense(world.encoder.questions(["x"])[0], 10)) == 4
    with pytest.raises(IndexDown):
        publish(away._store, MemoryVectors(HashEncoder()), [replace(OPEN, path="open/b.md").record])
    assert world.store.versions.current() == 1
    assert [row.state for row in world.store.versions.rows()] == ["published", "abandoned"]


class Forgetful(ElasticServer):
    """The planted fault: a server that acknowledges every row and keeps all but the last."""

    def write(self, index: str, rows: Any) -> list[str]:
        return super().write(index, list(rows)[:-1])


def test_rows_that_are_not_there_after_all_are_never_published(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN,))], engines=engines)
    engine = engine_of(world)
    forgetful = ElasticEngine(Forgetful(engine._server.options), home, ANALYSER, world.permissions)
    store = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH, lexical=forgetful)
    with pytest.raises(Damaged, match="does not hold"):
        publish(store, MemoryVectors(HashEncoder()), [TEAM.record])
    assert store.versions.current() == 1


def test_single_rows_are_sent_again_where_the_server_was_busy(
    engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = open_world(home, [Batch((OPEN,))], engines=engines)
    client = engine_of(world)._server._client
    sent: list[int] = []
    real = type(client).bulk

    def busy_at_first(self: Any, *args: Any, **kwargs: Any) -> Any:
        operations = list(kwargs["operations"])
        sent.append(len(operations) // 2)
        if len(sent) > 1:
            return real(self, *args, **kwargs | {"operations": operations})
        reply = real(self, *args, **kwargs | {"operations": operations[2:]})
        refused = {"create": {"_id": "x", "status": 429, "error": {"type": "es_rejected_execution_exception"}}}
        reply.body["items"].insert(0, refused)
        return reply

    monkeypatch.setattr(type(client), "bulk", busy_at_first)
    publish(world.store, MemoryVectors(HashEncoder()), [TEAM.record])
    assert sent == [2, 1]
    assert len(world.index.view(CY).lexical(TERMS, 10)) == 6
