"""One index on a real Elasticsearch serves every version, and what none of them needs is swept and never shows."""

from dataclasses import replace
from pathlib import Path

import pytest
from homes.elastic_scene import CY, OPEN, TEAM, TERMS, engine_of, rows_of
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import (
    ANALYSER,
    NOW,
    PERMISSIONS,
    PUBLIC,
    REFERENCE_LENGTH,
    Batch,
    Engines,
    World,
    open_world,
    publish,
)

from indexers.elastic.server.server import ElasticServer
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore, Keep
from vouch.errors import Damaged

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]


def test_what_was_never_published_never_shows_and_is_swept(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN,))], engines=engines)
    before = world.index.view(CY).lexical(TERMS, 10)
    swap = world.store.versions.swap
    world.store.versions.swap = lambda *args, **more: (_ for _ in ()).throw(Damaged("planted"))  # type: ignore
    with pytest.raises(Damaged, match="planted"):
        publish(world.store, MemoryVectors(HashEncoder()), [TEAM.record])
    world.store.versions.swap = swap                    # type: ignore[method-assign]
    assert rows_of(world).total() == 6                  # two of them of a version that never was
    assert world.index.view(CY).lexical(TERMS, 10) == before
    assert world.store.sweep(dry_run=True).rows == 2 and rows_of(world).total() == 6
    assert world.store.sweep().rows == 2 and rows_of(world).total() == 4
    assert world.index.view(CY).lexical(TERMS, 10) == before


def test_a_rollback_writes_no_row(engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = open_world(home, [Batch((OPEN,)), Batch((TEAM,), removed=(OPEN.path,))], engines=engines)
    monkeypatch.setattr(ElasticServer, "write", lambda *args: pytest.fail("rows were written"))
    world.store.rollback(1)
    assert len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4
    engine_of(world).wait()


def test_sweeping_takes_only_what_no_version_needs(engines: Engines, home: Path) -> None:
    versions = MemoryVersions()
    held = FixedPermissions(PERMISSIONS)
    store = IndexStore(home, versions, ANALYSER, REFERENCE_LENGTH, Keep(2, 0), engines(home, held))
    world = World(store, LiveIndex(store, held, lambda: NOW), HashEncoder(), held)
    vectors = MemoryVectors(world.encoder)
    for number in range(6):
        publish(store, vectors, [replace(TEAM, path=f"team/{number % 3}.md", sections=(
            ("Budget", (f"budget number{number}", "travel")),)).record])
        assert len(world.index.view(CY).lexical(TERMS, 10)) == 2 * min(number + 1, 3)
    engine_of(world).wait()
    store.sweep()
    named = {entry.id for number in (5, 6) for entry in store.manifest(number).segments}
    assert set(rows_of(world)) == named == {segment for segment, _ in engine_of(world)._notes.names()}
    assert len(world.index.view(CY).lexical(TERMS, 10)) == 6
    engine_of(world).wait()


def test_a_rival_that_published_first_and_what_it_beat_never_mix(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN,))], engines=engines)
    base = world.store.open_current()
    vectors = MemoryVectors(HashEncoder())
    publish(world.store, vectors, [TEAM.record], base=base)
    publish(world.store, vectors, [replace(TEAM, path="team/rival.md").record], base=base)      # goes on top of it
    assert len(world.index.view(CY).lexical(TERMS, 10)) == 8
    assert world.store.verify(3) == [] and world.store.sweep().rows == 0
    engine_of(world).wait()
