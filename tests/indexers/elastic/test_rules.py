"""A change of rules counts at once on a real Elasticsearch, whatever its labels say until they have followed."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes.elastic_scene import CY, OPEN, TEAM, TERMS, assert_same_views, engine_of, labels_on_server, without_following
from two_world.stand_ins import HashEncoder, MemoryVectors
from two_world.worlds import (
    ANALYSER,
    DIRECTORY,
    PUBLIC,
    REFERENCE_LENGTH,
    RULES,
    SOURCE,
    Batch,
    Engines,
    World,
    open_world,
    publish,
)

from indexers.elastic.engine import ElasticEngine
from indexers.elastic.server.server import ElasticServer
from indexers.elastic.sync.row_journal import UNSURE
from indexers.elastic.sync.row_sync import note_name
from indexers.publishing.index_store import IndexStore
from vouch.access import Audience, Permissions, Rule, RuleBook

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]


def test_a_change_of_rules_counts_in_scores_before_the_server_hears_of_it(engines: Engines, home: Path) -> None:
    steps = [Batch((OPEN, replace(OPEN, path="open/more.md"))), Batch((TEAM,))]
    served = open_world(home / "served", steps, engines=without_following(engines))
    embedded = open_world(home / "embedded", steps)
    closed = RuleBook((*RULES.rules, Rule("open/more.md", frozenset({"user:cy@acme.test"})),
                       Rule("team/**", frozenset({"public"}))))
    for epoch, rules in enumerate((RULES, closed, RULES), start=1):
        for world in (served, embedded):
            world.permissions.held = Permissions.settled(epoch, {SOURCE: rules}, DIRECTORY)
        for audience in (PUBLIC, CY):
            assert_same_views(served.index.view(audience), embedded.index.view(audience), TERMS)


def test_labels_follow_the_rules_and_then_no_row_is_named(engines: Engines, home: Path) -> None:
    twin = replace(OPEN, path="open/twin.md")
    world = open_world(home, [Batch((OPEN, TEAM, twin))], engines=engines)
    closed = RuleBook((*RULES.rules, Rule("open/travel.md", frozenset({"group:people"}))))
    world.permissions.held = Permissions.settled(2, {SOURCE: closed}, DIRECTORY)
    assert labels_on_server(world) == {"public": 8, "group:staff": 2}
    assert len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4
    engine_of(world).wait()
    assert labels_on_server(world) == {"public": 4, "group:staff": 2, "group:people": 4}
    assert '"row"' not in json.dumps(filter_of(world, PUBLIC)) and len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4


def filter_of(world: World, audience: Audience) -> dict[str, Any]:
    view = world.index.view(audience)
    steady = engine_of(world)._steady(view._version)
    return steady._selection(view._rows, steady.stamp).query


def test_a_search_beside_a_relabeling_is_right_all_the_time(engines: Engines, home: Path) -> None:
    """Rows noted as unsure may have either label on the server."""
    world = open_world(home, [Batch((OPEN, TEAM))], engines=without_following(engines))
    wanted = world.index.view(CY).lexical(TERMS, 10)
    notes = engine_of(world)._notes
    segment = world.store.open_current().segments[0]
    name = note_name(segment.folder.entry.id, engine_of(world)._index(world.store.open_current()))
    with notes.sole(name):
        notes.write(name, notes.read(name, segment.rows).with_rows(np.array([0, 2]), UNSURE))
    assert world.index.view(CY).lexical(TERMS, 10) == wanted
    assert len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4


def test_a_relabeling_in_the_middle_of_a_search_is_noticed(
    engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=without_following(engines))
    engine, view = engine_of(world), world.index.view(PUBLIC)
    wanted = view.lexical(TERMS, 10)                    # from now on its counts are known
    closed = RuleBook((*RULES.rules, Rule("open/travel.md", frozenset({"group:people"}))))
    search = engine._server.search
    relabeled = []

    def late(index: str, body: Any) -> dict[str, Any]:
        if not relabeled:
            relabeled.append(True)
            monkeypatch.setattr(engine._server, "search", search)
            engine._follow(view._version, Permissions.settled(2, {SOURCE: closed}, DIRECTORY), (1, 2), lambda: True)
            assert labels_on_server(world) == {"group:people": 4, "group:staff": 2}
        return search(index, body)

    monkeypatch.setattr(engine._server, "search", late)
    assert view.lexical(TERMS, 10) == wanted and relabeled


def test_labels_follow_while_a_publish_is_writing(engines: Engines, home: Path) -> None:
    """A publish holds up nobody: it writes to segments that nobody serves yet."""
    world = open_world(home, [Batch((OPEN, TEAM))], engines=engines)
    engine_of(world).wait()
    writing, go_on = threading.Event(), threading.Event()

    class Slow(ElasticServer):
        def write(self, index: str, rows: Any) -> list[str]:
            writing.set()
            assert go_on.wait(60)
            return super().write(index, rows)

    slow = ElasticEngine(Slow(engine_of(world)._server.options), home, ANALYSER, world.permissions)
    store = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH, lexical=slow)
    more = replace(TEAM, path="team/more.md").record
    publishing = threading.Thread(target=publish, args=(store, MemoryVectors(HashEncoder()), [more]))
    publishing.start()
    try:
        assert writing.wait(60)
        closed = RuleBook((*RULES.rules, Rule("open/travel.md", frozenset({"group:people"}))))
        world.permissions.held = Permissions.settled(2, {SOURCE: closed}, DIRECTORY)
        world.index.follow()                            # as a worker does that nobody asks anything
        engine_of(world).wait()
        assert labels_on_server(world) == {"group:people": 4, "group:staff": 2}
        assert world.store.versions.current() == 1
    finally:
        go_on.set()
        publishing.join()
    assert world.store.versions.current() == 2 and len(world.index.view(CY).lexical(TERMS, 10)) == 4
