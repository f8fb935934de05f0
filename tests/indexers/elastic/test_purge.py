"""What is purged is gone from a real Elasticsearch, and a purge says what it could not ask."""

from dataclasses import replace
from pathlib import Path

import pytest
from homes.elastic_scene import OPEN, TEAM, TERMS, engine_of, rows_of
from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.worlds import ANALYSER, DIRECTORY, PUBLIC, RULES, SOURCE, Batch, Engines, Paper, open_world

from composition.storage import lexical_engine
from indexers.purging.purge import IndexPurge
from vouch.access import Permissions, Rule, RuleBook

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]


def test_a_purged_document_is_gone_from_the_server(engines: Engines, home: Path) -> None:
    secret = Paper("board/secret.md", (("Merger", ("zanzibar merger", "travel to zanzibar")),))
    world = open_world(home, [Batch((OPEN, secret)), Batch((TEAM,))], engines=engines)
    engine = engine_of(world)
    assert engine.terms_left(["zanzibar", "travel"]) != []
    before = world.index.view(PUBLIC).lexical(TERMS, 10)
    engine.wait()
    index = IndexPurge(home, world.store.versions, [(SOURCE, secret.path)], lexical=engine)
    terms = index.remains().fingerprints.terms
    done = index.run()
    assert "zanzibar" in terms and engine.terms_left(terms) == []
    assert set(rows_of(world)) == {entry.id for entry in world.store.open_current().manifest.segments}
    assert world.index.view(PUBLIC).lexical(TERMS, 10) == before
    assert world.store.rollback(2) and len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4
    assert "deleted rows are still in files" in str(done.unproven)      # as the server keeps them for a while


@pytest.mark.soak
def test_a_patient_purge_leaves_nothing_in_the_files_of_the_server(
    elasticsearch_server: Elasticsearch, home: Path
) -> None:
    engines = engines_at(elasticsearch_server.url, index_prefix="patient", patience_seconds=90.0)
    world = open_world(home, [Batch((OPEN, replace(OPEN, path="board/secret.md")))], engines=engines)
    done = IndexPurge(home, world.store.versions, [(SOURCE, "board/secret.md")], lexical=world.store.lexical).run()
    assert done.unproven == ()


def test_a_purge_by_the_other_engine_says_that_the_server_was_not_asked(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=engines)
    lexical = lexical_engine({"kind": "embedded"}, {"kind": "faiss"}, home, ANALYSER, world.permissions)
    done = IndexPurge(home, world.store.versions, [(SOURCE, TEAM.path)], lexical=lexical).run()
    assert "may still hold rows" in str(done.unproven)
    fresh = open_world(home / "fresh", [Batch((OPEN, TEAM))])
    lexical = lexical_engine({"kind": "embedded"}, {"kind": "faiss"}, home / "fresh", ANALYSER, fresh.permissions)
    done = IndexPurge(home / "fresh", fresh.store.versions, [(SOURCE, TEAM.path)], lexical=lexical).run()
    assert done.unproven == ()


def test_a_running_reader_does_not_bring_back_what_is_purged(engines: Engines, home: Path) -> None:
    secret = Paper("board/secret.md", (("Merger", ("zanzibar merger",)),))
    world = open_world(home, [Batch((OPEN, secret))], engines=engines)
    engine = engine_of(world)
    reader = world.store.open(1)                        # as another process has it open
    IndexPurge(home, world.store.versions, [(SOURCE, secret.path)], lexical=engine).run()
    closed = RuleBook((*RULES.rules, Rule("board/**", frozenset({"group:people"}))))
    for rules in (RULES, closed):
        engine._follow(reader, Permissions.settled(2, {SOURCE: rules}, DIRECTORY), (1, 2), lambda: True)
    assert engine.terms_left(["zanzibar"]) == []
    assert {segment for segment, _ in engine._notes.names()} == {
        entry.id for entry in world.store.open_current().manifest.segments}
