"""Elasticsearch killed with SIGKILL while a version is written to it: whole versions, honest searches, no orphans."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from faults.servers.elastic_whole import assert_whole
from running.soak_table import Figures
from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.stand_ins import HashEncoder, MemoryVectors
from two_world.worlds import (
    ANALYSER,
    DIRECTORY,
    NOW,
    PUBLIC,
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
from indexers.elastic.server.server import ElasticServer
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.access import Permissions, Rule, RuleBook
from vouch.errors import IndexDown

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]
TERMS = ANALYSER.terms("travel budget")


def paper(number: int, passages: int) -> Paper:
    words = [f"travel budget note{number} word{n}" for n in range(passages)]
    return Paper(f"open/{number}.md", (("Travel", tuple(words)),))


class Deadly(ElasticServer):
    """Calls `strike` before a request of the given kind and number goes out."""

    strike: Callable[[], None] | None = None
    at: tuple[str, int] = ("", 0)
    seen: Counter[str]

    def _met(self, kind: str) -> None:
        self.seen[kind] += 1
        if self.strike is not None and (kind, self.seen[kind]) == self.at:
            strike, self.strike = self.strike, None
            strike()

    def write(self, index: str, rows: Iterable[tuple[str, dict[str, Any]]]) -> list[str]:
        def met() -> Iterable[tuple[str, dict[str, Any]]]:
            for row in rows:
                self._met("row")
                yield row
        return super().write(index, met())

    def label(self, index: str, segment: str, labels: Mapping[int, str], turn: int) -> int:
        self._met("label")
        half = dict(list(labels.items())[: len(labels) // 2])
        done = super().label(index, segment, half, turn)
        self._met("half")
        done += super().label(index, segment, labels, turn)
        self._met("labeled")
        return done

    def refresh(self, index: str) -> None:
        self._met("refresh")
        super().refresh(index)

    def search(self, index: str, body: Any) -> dict[str, Any]:
        self._met("search")
        return super().search(index, body)


def deadly_world(home: Path, engines: Engines, patience: float) -> tuple[World, Deadly]:
    world = open_world(home, [Batch((paper(0, 4),))], engines=engines)
    engine = world.store.lexical
    assert isinstance(engine, ElasticEngine)
    options = engine._server.options
    server = Deadly(type(options)(options.url, index_prefix="test", patience_seconds=patience, bulk_rows=100))
    server.seen = Counter()
    lexical = ElasticEngine(server, home, ANALYSER, world.permissions)
    world.store = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH, lexical=lexical)
    world.index._store = world.store
    return world, server


def whole(world: World, home: Path) -> None:
    assert_whole(world.store, world.index, home, PUBLIC, TERMS)


def test_killed_in_the_middle_of_a_publish(elasticsearch_server: Elasticsearch, tmp_path: Path) -> None:
    """The publish fails whole; searches say that the server is away; the next one waits for it, and is whole."""
    world, server = deadly_world(tmp_path, engines_at(elasticsearch_server.url), patience=0.5)
    server.at, server.strike = ("row", 350), lambda: elasticsearch_server.stop(kill=True)
    vectors = MemoryVectors(HashEncoder())
    try:
        with pytest.raises(IndexDown):
            publish(world.store, vectors, [paper(1, 800).record])
        assert server.strike is None and world.store.versions.current() == 1
        with pytest.raises(IndexDown):
            world.index.view(PUBLIC).lexical(TERMS, 10)
        object.__setattr__(server.options, "patience_seconds", 600.0)
        waiting = threading.Thread(target=publish, args=(world.store, vectors, [paper(1, 800).record]))
        waiting.start()
        time.sleep(1)
        assert waiting.is_alive()
    finally:
        elasticsearch_server.start()
    waiting.join(600)
    assert world.store.versions.current() == 3
    assert [row.state for row in world.store.versions.rows()] == ["published", "abandoned", "published"]
    whole(world, tmp_path)


@pytest.mark.soak
def test_killed_at_every_kind_of_moment(
    elasticsearch_server: Elasticsearch, tmp_path: Path, figures: Figures
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    rng = random.Random(seed)
    world, server = deadly_world(tmp_path, engines_at(elasticsearch_server.url), patience=180)
    vectors = MemoryVectors(HashEncoder())
    kills: Counter[str] = Counter()
    for number in range(1, 13):
        kind = ("row", "refresh", "search")[number % 3]
        restarting: list[threading.Thread] = []

        def strike(kind: str = kind, restarting: list[threading.Thread] = restarting) -> None:
            elasticsearch_server.stop(kill=True)
            kills[kind] += 1
            restarting.append(threading.Thread(target=elasticsearch_server.start))
            restarting[0].start()

        server.seen.clear()
        server.at = (kind, rng.randrange(1, 600) if kind == "row" else 1)
        server.strike = strike
        publish(world.store, vectors, [paper(number, 600).record], removed=[f"open/{number - 2}.md"][: number > 2])
        server.strike = None
        for thread in restarting:
            thread.join()
        whole(world, tmp_path)
    figures("Elasticsearch killed in the middle of a publish", f"12 kills, seed {seed}",
            f"{world.store.versions.current()} versions, all whole; killed before {dict(kills)}")
    assert sum(kills.values()) == 12


class Killed(BaseException):
    """What no handler of vouch catches: the process ends here, and what it noted is all that is left of it."""


@pytest.mark.parametrize("at", [("row", 1), ("row", 350), ("refresh", 1), ("search", 1)])
def test_vouch_killed_in_the_middle_of_a_publish(
    elasticsearch_server: Elasticsearch, tmp_path: Path, at: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, server = deadly_world(tmp_path, engines_at(elasticsearch_server.url), patience=0)

    def die() -> None:
        raise Killed

    server.at, server.strike = at, die
    monkeypatch.setattr(world.store.versions, "abandon", lambda number: None)       # a dead process tells nobody
    with pytest.raises(Killed):
        publish(world.store, MemoryVectors(HashEncoder()), [paper(1, 500).record])
    monkeypatch.undo()
    assert world.store.versions.current() == 1
    again, _ = deadly_world_again(world, tmp_path, elasticsearch_server)
    publish(again.store, MemoryVectors(HashEncoder()), [paper(1, 500).record])
    assert again.store.versions.current() == 3
    whole(again, tmp_path)


@pytest.mark.parametrize("at", [("label", 1), ("half", 1), ("labeled", 1)])
def test_vouch_killed_while_labels_follow(
    elasticsearch_server: Elasticsearch, tmp_path: Path, at: tuple[str, int]
) -> None:
    world, server = deadly_world(tmp_path, engines_at(elasticsearch_server.url), patience=0)
    publish(world.store, MemoryVectors(HashEncoder()), [paper(1, 500).record])
    closed = RuleBook((*RULES.rules, Rule("open/1.md", frozenset({"group:people"}))))
    world.permissions.held = Permissions.settled(2, {SOURCE: closed}, DIRECTORY)

    def die() -> None:
        raise Killed

    server.seen.clear()
    server.at, server.strike = at, die
    engine = world.store.lexical
    assert isinstance(engine, ElasticEngine)
    version = world.store.open_current()
    assert version is not None
    with pytest.raises(Killed):
        engine._follow(version, world.permissions.held, (version.number, 2), lambda: True)
    again, again_engine = deadly_world_again(world, tmp_path, elasticsearch_server)
    following, again_engine.follow = again_engine.follow, lambda version, permissions: None  # type: ignore[method-assign]
    for _ in range(2):
        assert len(again.index.view(PUBLIC).lexical(TERMS, 1000)) == 4
        assert len(again.index.view(DIRECTORY.audience(["user:bo@acme.test"], NOW)).lexical(TERMS, 1000)) == 504
        following(version, world.permissions.held)
        again_engine.wait()
    assert again.store.verify(2) == []


def deadly_world_again(world: World, home: Path, elasticsearch_server: Elasticsearch) -> tuple[World, ElasticEngine]:
    """Another process on the same home and ledger."""
    engine = engines_at(elasticsearch_server.url)(home, world.permissions)
    assert isinstance(engine, ElasticEngine)
    store = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH, lexical=engine)
    index = LiveIndex(store, world.permissions, lambda: NOW)
    return World(store, index, world.encoder, world.permissions), engine
