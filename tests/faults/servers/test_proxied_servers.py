"""Servers behind a line that is late, cuts into pieces, falls silent or resets: right answers, or none for a while."""

import itertools
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from faults.servers.kafka_scene import Scene, open_scene
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from servers.elastic import Elasticsearch
from servers.fixtures import running
from servers.kafka import Kafka
from servers.postgres import Postgres
from servers.process import free_port
from servers.proxy import MOODS, Mood, Proxy
from two_world.elastic import engines_at
from two_world.worlds import ANALYSER, DIRECTORY, NOW, Batch, Paper, World, open_world

from vouch.adapters.message_log.kafka.producer import KafkaSender
from vouch.errors import IndexDown, LogDown

BAD_S = 4.0                             # longer than the workers wait for a reply of Kafka
pytestmark = [pytest.mark.services, pytest.mark.slow]


class KafkaBehind(Kafka):
    """A broker whose clients come to it through `proxy`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, advertised=free_port())
        self.proxy = Proxy(self.port, self.advertised).__enter__()

    def remove(self) -> None:
        super().remove()
        self.proxy.__exit__(None, None, None)


@pytest.fixture(scope="module")
def kafka_behind() -> Iterator[KafkaBehind]:
    with running(KafkaBehind) as kafka:
        yield kafka


@pytest.fixture
def lines(
    postgres_server: Postgres, kafka_behind: KafkaBehind, memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Scene, dict[str, Proxy]]]:
    """Workers whose log and ledger are behind proxies, and those."""
    with (
        on_a_server(postgres_server) as place,
        Proxy(postgres_server.port) as ledger_line,
    ):
        place.open()
        monkeypatch.setenv("VOUCH_LEDGER__URL", re.sub(r":\d+/", f":{ledger_line.port}/", place.url))
        with open_scene(memory_folder, kafka_behind, 10.0) as scene:
            yield scene, {"ledger": ledger_line, "log": kafka_behind.proxy}


def through_all_moods(scene: Scene, proxies: dict[str, Proxy], *planted: str) -> None:
    """A worker answers while one line after the other is bad in each way; questions come before and meanwhile."""
    worker = scene.worker(0.05, "static", *planted)
    for name, proxy in proxies.items():
        for mood in MOODS:
            scene.ask(12)
            begun = scene.begun()
            assert scene.until(lambda begun=begun: scene.begun() > begun, 30), (name, mood)
            with proxy.being(mood):
                time.sleep(BAD_S)
            assert scene.all_posted(60), (name, mood, scene.outcome())
    assert all(proxy.passed for proxy in proxies.values())
    assert scene.until(lambda: scene.outcome()["lag"] == 0, 30)
    scene.end(worker)


def test_every_question_is_answered_once_over_bad_lines(lines: tuple[Scene, dict[str, Proxy]]) -> None:
    through_all_moods(*lines)
    assert lines[0].sound()


class Stubborn(KafkaSender):
    """The planted bug: it sends again what may be stored already, and says nothing."""

    def send(self, *message: Any) -> tuple[int, int]:
        while True:
            with suppress(LogDown):
                return super().send(*message)


@dataclass
class Told:
    """What the threads that share a sender were told of each message: its offset, or that the log was down."""

    stored: dict[bytes, int] = field(default_factory=dict)
    down: set[bytes] = field(default_factory=set)
    crashes: list[Exception] = field(default_factory=list)

    def send_on(self, sender: KafkaSender, name: int, stop: threading.Event) -> None:
        for number in itertools.count():
            if stop.is_set():
                return
            value = f"{name}/{number}".encode()
            try:
                self.stored[value] = sender.send("questions", b"one key", value)[1]
            except LogDown:
                self.down.add(value)
            except Exception as error:
                self.crashes.append(error)
            time.sleep(0.01)


def shared(kind: type[KafkaSender], kafka: KafkaBehind) -> tuple[Told, Counter[bytes], int]:
    """Four threads send while the line is silent, resets and is well again: what they were told, and what is stored."""
    log, told, stop = fresh_log(kafka, timeout_seconds=2.0), Told(), threading.Event()
    sender, before = kind(log.place), threading.active_count()
    threads = [threading.Thread(target=told.send_on, args=(sender, name, stop)) for name in range(4)]
    for thread in threads:
        thread.start()
    for mood in ("hangs", "resets"):
        time.sleep(1)
        with kafka.proxy.being(mood):
            time.sleep(3)
    time.sleep(2)
    well_again = len(told.stored)
    time.sleep(1.5)
    stop.set()
    for thread in threads:
        thread.join(30)
    well_again = len(told.stored) - well_again
    sender.close()
    end = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.1)
    assert {one.name for one in threading.enumerate() if "producer" in one.name.lower()} == set()
    records = {record.offset: record.value for record in log.read("questions")}
    log.close()
    assert all(records[offset] == value for value, offset in told.stored.items())
    print(f"{len(told.stored)} sent, {len(told.down)} told of an outage, {well_again} after it")
    return told, Counter(records.values()), well_again


def test_threads_that_share_a_sender_are_each_told_the_truth_over_a_bad_line(kafka_behind: KafkaBehind) -> None:
    told, stored, well_again = shared(KafkaSender, kafka_behind)
    assert told.crashes == [] and told.down and well_again > 20
    assert max(stored.values()) == 1 and set(stored) <= told.stored.keys() | told.down


def test_the_harness_sees_a_sender_that_sends_again_by_itself(kafka_behind: KafkaBehind) -> None:
    assert max(shared(Stubborn, kafka_behind)[1].values()) > 1


PAPERS = tuple(
    Paper(f"open/{n}.md", (("Travel", (f"travel budget note{n}", "trains and a badge")),)) for n in range(40)
)
TERMS = ANALYSER.terms("travel budget trains")


def hits(world: World) -> list[tuple[str, str]]:
    view = world.index.view(DIRECTORY.audience(["public"], NOW))
    return [(hit.chunk_id, hit.score.hex()) for hit in view.lexical(TERMS, 10)]


@pytest.mark.parametrize("mood", MOODS)
def test_a_search_over_a_bad_line_is_right_or_says_that_the_index_is_away(
    elasticsearch_server: Elasticsearch, tmp_path: Path, mood: Mood
) -> None:
    with Proxy(elasticsearch_server.port) as proxy, tempfile.TemporaryDirectory(dir=tmp_path) as home:
        engines = engines_at(f"http://127.0.0.1:{proxy.port}", timeout_seconds=1.5)
        world = open_world(Path(home), [Batch(PAPERS)], engines=engines)
        expected, outcomes = hits(world), []
        assert len(expected) == 10
        with proxy.being(mood):
            for _ in range(4):
                try:
                    outcomes.append(hits(world) == expected)
                except IndexDown:
                    outcomes.append(None)
        assert False not in outcomes, outcomes
        assert (None in outcomes) is (mood in ("hangs", "resets")), outcomes
        assert hits(world) == expected
