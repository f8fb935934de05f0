"""Labels on a real Elasticsearch: whatever arrives late or twice, the last labeling stands."""

import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from servers.elastic import Elasticsearch
from servers.proxy import Proxy
from two_world.elastic import engines_at
from two_world.worlds import ANALYSER, DIRECTORY, NOW, RULES, SOURCE, Batch, Paper, open_world

from indexers.elastic.engine import ElasticEngine
from indexers.elastic.server.client import ElasticOptions
from indexers.elastic.server.mapping import index_body
from indexers.elastic.server.server import ElasticServer
from vouch.access import Permissions, Rule, RuleBook

pytestmark = pytest.mark.services
ROWS = 3_000
SEGMENT = "5" * 32
SEVERAL = {row: f"label{row % 7}" for row in range(ROWS)}


@pytest.fixture
def server(elasticsearch_server: Elasticsearch) -> ElasticServer:
    return ElasticServer(ElasticOptions(elasticsearch_server.url, timeout_seconds=30.0))


@pytest.fixture
def index(server: ElasticServer) -> Iterator[str]:
    """An index with rows of turn 1, all of one label."""
    name = f"labels-{time.time_ns()}"
    server.make_index(name, index_body(9.0, 1))
    assert server.write(name, rows("first", 1)) == []
    server.refresh(name)
    yield name
    server._client.indices.delete(index=name)


def rows(label: str, turn: int) -> Iterator[tuple[str, dict[str, object]]]:
    for row in range(ROWS):
        yield f"{SEGMENT}:{row}", {
            "home": "h", "segment": SEGMENT, "row": row, "label": label, "turn": turn, "terms": f"badge word{row}",
        }


def held(server: ElasticServer, index: str) -> dict[int, tuple[str, int]]:
    """Label and turn of each row."""
    reply = server.search(index, {"query": {"match_all": {}}, "size": ROWS, "source": False,
                                  "docvalue_fields": ["row", "label", "turn"]})
    fields = [hit["fields"] for hit in reply["hits"]["hits"]]
    return {f["row"][0]: (f["label"][0], f["turn"][0]) for f in fields}


def test_each_row_has_the_label_named_for_it_and_words_stay(server: ElasticServer, index: str) -> None:
    some = {row: label for row, label in SEVERAL.items() if row % 3}
    assert server.label(index, SEGMENT, some, 2) == len(some)
    assert held(server, index) == {row: (SEVERAL[row], 2) if row % 3 else ("first", 1) for row in range(ROWS)}
    for term, count in (("badge", ROWS), ("word17", 1)):
        found = server.search(index, {"query": {"term": {"terms": term}}, "size": 0, "track_total_hits": True})
        assert found["hits"]["total"]["value"] == count


def test_a_labeling_that_comes_late_changes_nothing(server: ElasticServer, index: str) -> None:
    assert server.label(index, SEGMENT, SEVERAL, 3) == ROWS
    assert server.label(index, SEGMENT, dict.fromkeys(SEVERAL, "late"), 2) == 0
    assert server.label(index, SEGMENT, dict.fromkeys(SEVERAL, "twice"), 3) == 0
    assert held(server, index) == {row: (label, 3) for row, label in SEVERAL.items()}


def test_rows_that_are_written_again_stay_as_they_are_and_are_told(server: ElasticServer, index: str) -> None:
    assert server.label(index, SEGMENT, SEVERAL, 2) == ROWS
    assert server.write(index, rows("again", 3)) == [f"{SEGMENT}:{row}" for row in range(ROWS)]
    server.refresh(index)
    assert held(server, index) == {row: (label, 2) for row, label in SEVERAL.items()}


def test_rows_that_are_not_there_are_not_counted(server: ElasticServer, index: str) -> None:
    more = SEVERAL | {ROWS + n: "label0" for n in range(5)}
    assert server.label(index, SEGMENT, more, 2) == ROWS
    assert server.label(index, "6" * 32, SEVERAL, 2) == 0


def test_two_labelings_at_once_end_as_the_later_one_says(server: ElasticServer, index: str) -> None:
    """As when a connection was lost, and its request goes on while the next one is sent."""
    done: dict[str, int] = {}
    for turn in range(2, 8, 2):
        both = {f"early{turn}": turn, f"late{turn}": turn + 1}

        def label(name: str, turn: int) -> None:
            done[name] = server.label(index, SEGMENT, dict.fromkeys(SEVERAL, name), turn)

        threads = [threading.Thread(target=label, args=item) for item in both.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(held(server, index).values()) == {(f"late{turn}", turn + 1)}
        assert done[f"late{turn}"] == ROWS


def test_a_labeling_whose_line_breaks_is_resumed_until_it_is_done(elasticsearch_server: Elasticsearch) -> None:
    """The server goes on with what it was asked; searches are right all the while."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng, papers = random.Random(seed), [
        Paper(f"open/{n}.md", (("Travel", tuple(f"travel note{n} word{m}" for m in range(300))),)) for n in range(6)]
    with Proxy(elasticsearch_server.port) as proxy, tempfile.TemporaryDirectory() as home:
        engines = engines_at(f"http://127.0.0.1:{proxy.port}", index_prefix="lines")
        world = open_world(Path(home), [Batch(tuple(papers))], engines=engines)
        engine, version = world.store.lexical, world.store.open_current()
        assert isinstance(engine, ElasticEngine) and version is not None
        engine.wait()
        broken, epoch = 0, 1
        while broken < 3:
            epoch += 1
            assert epoch < 40
            chosen = rng.sample(range(6), 3)
            closed = [Rule(f"open/{n}.md", frozenset({"group:people"})) for n in chosen]
            world.permissions.held = Permissions.settled(epoch, {SOURCE: RuleBook((*RULES.rules, *closed))}, DIRECTORY)
            cut = threading.Timer(rng.uniform(0, 0.4), proxy._reset_all)
            cut.start()
            engine._follow(version, world.permissions.held, (ref(version), epoch), lambda: True)
            cut.join()
            broken += engine._followed != (ref(version), epoch)
            view = world.index.view(DIRECTORY.audience(["public"], NOW))
            assert len(view.lexical(ANALYSER.terms("travel"), 5000)) == 900
        for _ in range(5):                              # as a worker does: a connection that broke may show only now
            world.index.follow()
            engine.wait()
        assert engine._followed == (ref(version), epoch) and world.store.verify(version.number) == []
        note = engine._notes.read(engine._places(version)[0].note, len(version.rows.live))
        assert sorted(note.counts().values()) == [900, 900] and np.all(note.of_row >= 0)
