"""Questions through a real Kafka and a real PostgreSQL while workers are killed: none lost, none answered twice."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.servers.kafka_scene import Scene, open_scene
from machines.ledger_place import on_a_server
from running.soak_table import Figures
from servers.kafka import Kafka
from servers.postgres import Postgres


@pytest.fixture
def scene(
    kafka_server: Kafka, postgres_server: Postgres, memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Scene]:
    with on_a_server(postgres_server) as place:
        place.open()
        monkeypatch.setenv("VOUCH_LEDGER__URL", place.url)
        with open_scene(memory_folder, kafka_server) as made:
            yield made


def kill_on(scene: Scene, server: Postgres, questions: int, kills: int, *planted: str) -> None:
    """A worker with its sender is killed that often, the ledger's server once; the last worker finishes and ends."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for number in range(kills):
        scene.ask(questions // kills)
        worker, posted = scene.worker(0.02, "static", "lingers", *planted), len(scene.lines("board"))
        assert scene.until(lambda posted=posted: len(scene.lines("board")) > posted, 60)
        if number == kills // 2:
            server.stop(kill=True)
            server.start()
        time.sleep(rng.uniform(0, 0.3))
        scene.end(worker, kill=True)
        scene.workers.pop()             # the next one gets its name
    last = scene.worker(0.02, "static", *planted)
    scene.all_posted(60)
    scene.end(last)


@pytest.mark.slow
def test_two_hundred_questions_and_twenty_kills(scene: Scene, postgres_server: Postgres) -> None:
    kill_on(scene, postgres_server, 200, 20)
    assert scene.sound()


@pytest.mark.slow
def test_the_harness_sees_a_sender_that_does_not_ask(scene: Scene, postgres_server: Postgres) -> None:
    kill_on(scene, postgres_server, 60, 6, "forgetful")
    assert scene.outcome()["double"]


@pytest.mark.soak
def test_a_thousand_questions_and_a_hundred_kills(scene: Scene, postgres_server: Postgres, figures: Figures) -> None:
    kill_on(scene, postgres_server, 1000, 100)
    found = scene.outcome()
    figures("worker and sender killed on Kafka and PostgreSQL, PostgreSQL once",
            f"{found['asked']:,} questions, 100 kills",
            f"{found['lost']} lost, {found['double']} double, {found['dead']} dead, {found['begun']:,} answers begun")
    assert scene.sound()
