"""Posting lists on a real Elasticsearch: the same scores as in the segments, whatever the server is told or loses."""

import gzip
import json
import os
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from services.elastic import Elasticsearch
from services.process import free_port
from two_world.elastic import engines_at
from two_world.machines import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
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
    Pair,
    Paper,
    World,
    make_record,
    observe,
    observe_among_others,
    open_world,
    publish,
    world_pairs,
)

from indexers.bm25 import LexicalIndex
from indexers.elastic.client import ElasticOptions
from indexers.elastic.engine import ElasticEngine
from indexers.elastic.failures import Away
from indexers.elastic.keeper import note_name
from indexers.elastic.notes import UNSURE
from indexers.elastic.server import ElasticServer
from indexers.labels import label_id
from indexers.lexical import lexical_engine
from indexers.publish import IndexStore, Keep
from indexers.purge import IndexPurge
from indexers.reader import LiveIndex
from indexers.view import LiveView
from vouch.access import Audience, Directory, Label, Permissions, Reader, Rule, RuleBook
from vouch.errors import Damaged, IndexDown
from vouch.retrieval.candidate import Hit

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
PAIRS = 24
_SETTINGS = settings(
    max_examples=PAIRS, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
PUBLIC = DIRECTORY.audience(["public"], NOW)
CY = DIRECTORY.audience(["user:cy@acme.test"], NOW)
OPEN = Paper("open/travel.md", (
    ("Travel", ("travel needs approval", "a badge and a laptop", "travel needs approval")),
    ("Leave", ("leave is paid",)),
))
TEAM = Paper("team/budget.md", (("Budget", ("travel budget of the team", "budget and approval")),))
TERMS = ANALYSER.terms("travel budget approval leave")


@pytest.fixture
def engines(elasticsearch_server: Elasticsearch) -> Engines:
    return engines_at(elasticsearch_server.url)


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)


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


def agree(pair: Pair, engines: Engines) -> int:
    """Compares both engines for every audience under the rules and after a change of them; how many hits."""
    hits = 0
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        served = open_world(Path(place) / "served", pair.first, engines=engines)
        embedded = open_world(Path(place) / "embedded", pair.first)
        turned = Permissions(2, {SOURCE: RuleBook((*RULES.rules, Rule("open/1*", frozenset({"group:people"})),
                                                   Rule("team/**", frozenset({"public"}))))}, DIRECTORY)
        for permissions in (PERMISSIONS, turned):
            for world in (served, embedded):
                world.permissions.held = permissions
            for tags in AUDIENCES:
                audience = DIRECTORY.audience(tags, NOW)
                terms = ANALYSER.terms(f"{pair.question} {pair.question} budget")
                assert_same_views(served.index.view(audience), embedded.index.view(audience), terms)
                hits += len(served.index.view(audience).lexical(terms, 1000))
        engine_of(served).wait()
    return hits


def test_both_engines_agree_on_random_worlds(engines: Engines) -> None:
    hits = []

    @settings(_SETTINGS, max_examples=6)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        hits.append(agree(pair, engines))

    check()
    assert sum(hits) > 100


def differences(pair: Pair, engines: Engines) -> list[str]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        look = observe_among_others if len(pair.question) % 4 == 0 else observe
        worlds = []
        seen = []
        for name, steps, see in (("first", pair.first, look), ("second", pair.second, observe)):
            worlds.append(open_world(Path(place) / name, steps, engines=engines))
            seen.append(see(worlds[-1], pair))
        for world in worlds:
            engine_of(world).wait()
    return [name for name in seen[0] if seen[0][name] != seen[1][name]]


def test_hidden_documents_change_nothing(engines: Engines) -> None:
    rivals = []

    @_SETTINGS
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert differences(pair, engines) == []
        rivals.append(pair.rival is not None)

    check()
    assert len(rivals) >= PAIRS and np.mean(rivals) >= 0.5


@pytest.mark.soak
def test_hundreds_of_pairs_and_worlds(engines: Engines) -> None:
    number = random.SystemRandom().randrange(10**6)
    counts: Counter[str] = Counter()

    @seed(number)
    @settings(_SETTINGS, max_examples=300, derandomize=False)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert differences(pair, engines) == []
        counts.update(["pairs", *{type(step).__name__ for step in pair.first + pair.second}])

    @seed(number)
    @settings(_SETTINGS, max_examples=100, derandomize=False)
    @given(world_pairs())
    def compare(pair: Pair) -> None:
        counts["hits compared"] += agree(pair, engines)
        counts["worlds compared"] += 1

    check()
    compare()
    print(f"\nseed {number}: {dict(counts)}, 0 differences")
    assert counts["pairs"] >= 300 and counts["worlds compared"] >= 100


class PlainServer(ElasticServer):
    """The planted bug: the same filter, and BM25 as Elasticsearch makes it, with its own statistics."""

    def make_index(self, name: str, body: Any) -> None:
        plain = {"visible_bm25": {"type": "BM25", "k1": 1.2, "b": 0.75}}
        super().make_index(name, {**body, "settings": {**body["settings"], "similarity": plain}})

    def trust(self, name: str, body: Any) -> None:
        """Or the form alone would tell."""

    def search(self, index: str, body: Any) -> dict[str, Any]:
        asked = body["query"].get("bool", {})
        if "size" in body and body["size"] and "should" in asked:
            words = [{"term": {"terms": {**term["term"]["terms"], "boost": 1.0}}} for term in asked["should"]]
            body = {**body, "query": {"bool": {**asked, "should": words}}}
        return super().search(index, body)


def test_plain_bm25_is_found_by_the_same_pairs(elasticsearch_server: Elasticsearch) -> None:
    found: list[str] = []
    server = PlainServer(ElasticOptions(elasticsearch_server.url, index_prefix="plain"))

    def engines(home: Path, permissions: Any) -> ElasticEngine:
        return ElasticEngine(server, home, ANALYSER, permissions)

    @settings(_SETTINGS, max_examples=40, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found:
            found.extend(differences(pair, engines))

    check()
    assert found and all(name.startswith("lexical") for name in found)


def test_a_long_tie_at_the_cut_is_taken_whole(engines: Engines, home: Path) -> None:
    paper = Paper("open/a.md", (("Same", ("badge",) * 300), ("Other", ("laptop",) * 5)))
    view = open_world(home, [Batch((paper,))], engines=engines).index.view(PUBLIC)
    same = sorted(c.id for c in paper.record.chunks if c.section == ("Same",))
    for top in (1, 3, 100, 299, 300):
        assert [h.chunk_id for h in view.lexical(ANALYSER.terms("badge"), top)] == same[:top]


def test_a_question_of_very_many_words_is_answered(engines: Engines, home: Path) -> None:
    words = [a + b + c for a in "bcdfghjklm" for b in "aeiouy" for c in "bcdfghjklmnpqrtvwxz"]
    texts = tuple(" ".join([word, *words[n : n + 100]]) for n in range(0, len(words), 100) for word in ("rare", "more"))
    view = open_world(home, [Batch((Paper("open/a.md", (("Words", texts),)),))], engines=engines).index.view(PUBLIC)
    terms = ANALYSER.terms(" ".join(["rare", *words]))
    assert len(set(terms)) > 1024 and len(texts) > len(view.lexical(terms, 100)) > 20


def test_a_change_of_rules_counts_in_scores_before_the_server_hears_of_it(engines: Engines, home: Path) -> None:
    steps = [Batch((OPEN, replace(OPEN, path="open/more.md"))), Batch((TEAM,))]
    served = open_world(home / "served", steps, engines=without_following(engines))
    embedded = open_world(home / "embedded", steps)
    closed = RuleBook((*RULES.rules, Rule("open/more.md", frozenset({"user:cy@acme.test"})),
                       Rule("team/**", frozenset({"public"}))))
    for epoch, rules in enumerate((RULES, closed, RULES), start=1):
        for world in (served, embedded):
            world.permissions.held = Permissions(epoch, {SOURCE: rules}, DIRECTORY)
        for audience in (PUBLIC, CY):
            assert_same_views(served.index.view(audience), embedded.index.view(audience), TERMS)


def test_dead_rows_are_left_out_by_number(engines: Engines, home: Path) -> None:
    papers = tuple(replace(OPEN, path=f"open/{n}.md") for n in range(10))
    steps = [Batch(papers), Batch((), removed=("open/3.md",))]
    served, embedded = (open_world(home / name, steps, engines=kind) for name, kind in (("s", engines), ("e", None)))
    version = served.store.open_current()
    assert version is not None and len(version.rows.live) == 40 and np.count_nonzero(version.rows.live) == 36
    assert_same_views(served.index.view(PUBLIC), embedded.index.view(PUBLIC), TERMS)
    served.store.rollback(1)
    assert len(served.index.view(PUBLIC).lexical(TERMS, 100)) == 40
    engine_of(served).wait()


def test_labels_follow_the_rules_and_then_no_row_is_named(engines: Engines, home: Path) -> None:
    twin = replace(OPEN, path="open/twin.md")
    world = open_world(home, [Batch((OPEN, TEAM, twin))], engines=engines)
    closed = RuleBook((*RULES.rules, Rule("open/travel.md", frozenset({"group:people"}))))
    world.permissions.held = Permissions(2, {SOURCE: closed}, DIRECTORY)
    assert labels_on_server(world) == {"public": 8, "group:staff": 2}
    assert len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4
    engine_of(world).wait()
    assert labels_on_server(world) == {"public": 4, "group:staff": 2, "group:people": 4}
    assert '"row"' not in json.dumps(filter_of(world, PUBLIC)) and len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4


def labels_on_server(world: World) -> dict[str, int]:
    """Rows of the current version on the server, by who may read them."""
    names = {label_id(Label(frozenset({tag}))): tag for tag in ("public", "group:staff", "group:people")}
    engine, version = engine_of(world), world.store.open_current()
    assert version is not None
    found = engine._audit.counts(engine._places(version))
    return {names[label]: count for counts in found.values() for label, count in counts.items()}


def filter_of(world: World, audience: Audience) -> dict[str, Any]:
    view = world.index.view(audience)
    steady = engine_of(world)._steady(view._version)
    return steady._selection(view._rows, steady.stamp).query


def test_a_search_beside_a_relabelling_is_right_all_the_time(engines: Engines, home: Path) -> None:
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


def test_a_relabelling_in_the_middle_of_a_search_is_noticed(
    engines: Engines, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = open_world(home, [Batch((OPEN, TEAM))], engines=without_following(engines))
    engine, view = engine_of(world), world.index.view(PUBLIC)
    wanted = view.lexical(TERMS, 10)                    # from now on its counts are known
    closed = RuleBook((*RULES.rules, Rule("open/travel.md", frozenset({"group:people"}))))
    search = engine._server.search
    relabelled = []

    def late(index: str, body: Any) -> dict[str, Any]:
        if not relabelled:
            relabelled.append(True)
            monkeypatch.setattr(engine._server, "search", search)
            engine._follow(view._version, Permissions(2, {SOURCE: closed}, DIRECTORY), (1, 2), lambda: True)
            assert labels_on_server(world) == {"group:people": 4, "group:staff": 2}
        return search(index, body)

    monkeypatch.setattr(engine._server, "search", late)
    assert view.lexical(TERMS, 10) == wanted and relabelled


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
    world.store.complete()
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


def world_again(world: World, home: Path, engines: Engines) -> LiveIndex:
    """Another process on the same home."""
    engine = without_following(engines)(home, world.permissions)
    store = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH, lexical=engine)
    return LiveIndex(store, world.permissions, lambda: NOW)


def test_the_setting_may_be_changed_either_way(engines: Engines, home: Path) -> None:
    embedded = open_world(home, [Batch((OPEN,)), Batch((TEAM,), removed=(OPEN.path,)), Batch((OPEN,))])
    wanted = embedded.index.view(CY)
    served = world_again(embedded, home, engines)
    with pytest.raises(IndexDown, match="not in Elasticsearch"):
        served.view(CY).lexical(TERMS, 10)
    served._store.complete()
    assert_same_views(served.view(CY), wanted, TERMS)


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


def rows_of(world: World) -> Counter[str]:
    """Rows of the home on the server, by segment."""
    engine = engine_of(world)
    reply = engine._server.search(engine._index(world.store.open_current()), {
        "query": {"term": {"home": engine._notes.home_id}}, "size": 1000, "source": False,
    })
    return Counter(hit["_id"].partition(":")[0] for hit in reply["hits"]["hits"])


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


def test_another_reference_length_makes_another_index(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN,))], engines=engines)
    engine = engine_of(world)
    one = engine._index(world.store.open_current())
    other = IndexStore(home, world.store.versions, ANALYSER, 9.0, lexical=engine)
    vectors = MemoryVectors(HashEncoder())
    vectors.learn(["Travel\ntravel needs approval"])
    other.publish(None, changed=[], moved={}, removed=[], cursors={}, fingerprints=other.fingerprints("e", "c"),
                  vectors=vectors.get, parent=1)
    assert engine._index(other.open_current()) != one


def test_a_purged_document_is_gone_from_the_server(engines: Engines, home: Path) -> None:
    secret = Paper("board/secret.md", (("Merger", ("zanzibar merger", "travel to zanzibar")),))
    world = open_world(home, [Batch((OPEN, secret)), Batch((TEAM,))], engines=engines)
    engine = engine_of(world)
    assert engine.terms_left(["zanzibar", "travel"]) != []
    before = world.index.view(PUBLIC).lexical(TERMS, 10)
    engine.wait()
    index = IndexPurge(home, world.store.versions, [(SOURCE, secret.path)], lexical=engine)
    terms = index.remains().traces.terms
    done = index.run()
    assert "zanzibar" in terms and engine.terms_left(terms) == []
    assert set(rows_of(world)) == {entry.id for entry in world.store.open_current().manifest.segments}
    assert world.index.view(PUBLIC).lexical(TERMS, 10) == before
    assert world.store.rollback(2) and len(world.index.view(PUBLIC).lexical(TERMS, 10)) == 4
    assert "deleted rows still lie in files" in str(done.unproven)      # as the server keeps them for a while


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
        engine._follow(reader, Permissions(2, {SOURCE: rules}, DIRECTORY), (1, 2), lambda: True)
    assert engine.terms_left(["zanzibar"]) == []
    assert {segment for segment, _ in engine._notes.names()} == {
        entry.id for entry in world.store.open_current().manifest.segments}


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
        world.permissions.held = Permissions(2, {SOURCE: closed}, DIRECTORY)
        world.index.follow()                            # as a worker does that nobody asks anything
        engine_of(world).wait()
        assert labels_on_server(world) == {"group:people": 4, "group:staff": 2}
        assert world.store.versions.current() == 1
    finally:
        go_on.set()
        publishing.join()
    assert world.store.versions.current() == 2 and len(world.index.view(CY).lexical(TERMS, 10)) == 4


def test_a_rival_that_published_first_and_what_it_beat_never_mix(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN,))], engines=engines)
    base = world.store.open_current()
    vectors = MemoryVectors(HashEncoder())
    publish(world.store, vectors, [TEAM.record], base=base)
    publish(world.store, vectors, [replace(TEAM, path="team/rival.md").record], base=base)      # goes on top of it
    assert len(world.index.view(CY).lexical(TERMS, 10)) == 8
    assert world.store.verify(3) == [] and world.store.sweep().rows == 0
    engine_of(world).wait()


@pytest.mark.parametrize("seconds", [3, pytest.param(90, marks=pytest.mark.soak)])
def test_searches_beside_publishes_rules_and_sweeps_are_right(engines: Engines, home: Path, seconds: int) -> None:
    """Every view is asked of both engines, while others publish, turn the rules, label anew and sweep."""
    number = random.SystemRandom().randrange(10**6)
    versions, held = MemoryVersions(), FixedPermissions(PERMISSIONS)
    store = IndexStore(home, versions, ANALYSER, REFERENCE_LENGTH, Keep(3, 0), engines(home, held))
    index, vectors = LiveIndex(store, held, lambda: NOW), MemoryVectors(HashEncoder())
    publish(store, vectors, [OPEN.record, TEAM.record])
    stop, failed = threading.Event(), []
    counts: Counter[str] = Counter()

    def until_stopped(name: str, work: Callable[[random.Random], None]) -> threading.Thread:
        def run() -> None:
            rng = random.Random(f"{number} {name}")
            while not stop.is_set():
                try:
                    work(rng)
                    counts[name.split()[0]] += 1
                except BaseException as error:
                    failed.append(error)
                    stop.set()
        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def write(rng: random.Random) -> None:
        old = [h.path for h in store.open_current().headers if rng.random() < 0.1]
        paper = replace(OPEN, path=f"{rng.choice(('open', 'team', 'people'))}/{rng.randrange(30)}.md")
        publish(store, vectors, [paper.record], removed=[path for path in old if path != paper.path])

    def rule(rng: random.Random) -> None:
        more = [Rule(f"{rng.choice(('open', 'team', '*'))}/{rng.randrange(4)}*", frozenset({rng.choice(
            ("public", "group:people", "group:staff"))})) for _ in range(rng.randrange(4))]
        held.held = Permissions(held.held.epoch + 1, {SOURCE: RuleBook((*RULES.rules, *more))}, DIRECTORY)
        stop.wait(0.3 * rng.random())

    def search(rng: random.Random) -> None:
        view = index.view(DIRECTORY.audience(rng.choice(AUDIENCES), NOW))
        terms = rng.sample(TERMS, rng.randrange(1, 4))
        try:
            found = view.lexical(terms, 1000)
        except Away:                                    # labels changed twenty times under this one search
            counts["given up"] += 1
            return
        assert_alike(found, LexicalIndex(view._version).search(terms, view._rows, 1000))

    def sweep(rng: random.Random) -> None:
        stop.wait(0.5)
        store.sweep()

    threads = [until_stopped("search one", search), until_stopped("search two", search), until_stopped("write", write),
               until_stopped("rule", rule), until_stopped("sweep", sweep)]
    stop.wait(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    store.lexical.wait()                                # type: ignore[attr-defined]
    print(f"\nseed {number}: {dict(counts)}")
    assert failed == [] and counts["search"] > seconds and counts["write"] > 2
    assert counts["given up"] < counts["search"] / 10


@pytest.mark.data
@pytest.mark.skipif("VOUCH_DATA" not in os.environ, reason="VOUCH_DATA names no folder with scifact")
def test_both_engines_agree_on_scifact(engines: Engines, tmp_path: Path) -> None:
    folder = Path(os.environ["VOUCH_DATA"]) / "scifact"
    rng = np.random.default_rng(5)
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    records = [
        make_record("s", f"g{int(rng.integers(10))}/{row['_id']}.md", [(row["title"], [row["text"] or "none"])])
        for row in rows
    ]
    rules = RuleBook(tuple(Rule(f"g{n}/**", frozenset({f"group:g{n}"})) for n in range(10)))
    held = FixedPermissions(Permissions(1, {"s": rules}, Directory()))
    store = IndexStore(tmp_path, MemoryVersions(), ANALYSER, 120.0, lexical=engines(tmp_path, held))
    for start in range(0, len(records), 2600):
        store.publish(store.open_current(), changed=records[start : start + 2600], moved={}, removed=[], cursors={},
                      fingerprints={}, vectors=lambda keys: np.ones((len(keys), 4), np.float16))
    index = LiveIndex(store, held)
    embedded = LiveIndex(IndexStore(tmp_path, store.versions, ANALYSER, 120.0), held)
    questions = [json.loads(line)["text"] for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    compared, same_order = 0, 0
    for groups in (1, 5, 10):
        audience = Audience((Reader("all", frozenset(f"group:g{n}" for n in range(groups))),))
        for n in rng.choice(len(questions), 15, replace=False):
            terms = ANALYSER.terms(questions[n])
            found, wanted = (one.view(audience).lexical(terms, 100) for one in (index, embedded))
            scores = {h.chunk_id: h.score for h in embedded.view(audience).lexical(terms, len(records))}
            for hit, other in zip(found, wanted, strict=True):
                assert hit.score == pytest.approx(scores[hit.chunk_id], rel=1e-4)
                assert hit.score == pytest.approx(other.score, rel=1e-4)
            assert index.view(audience).statistics(terms) == embedded.view(audience).statistics(terms)
            compared += len(found)
            same_order += [h.chunk_id for h in found] == [h.chunk_id for h in wanted]
    print(f"\n{compared} hits within 1e-4, {same_order} of 45 lists in the same order")
    assert compared > 2000
