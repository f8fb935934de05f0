"""Workers on a real Kafka: brokers killed, members that come, go and die, work longer than the poll interval."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from faults.servers.kafka_scene import DRAIN_S, Scene, open_scene
from running.soak_table import Figures
from servers.kafka import Kafka

from vouch.adapters.ledger import open_ledger


@pytest.fixture
def scene(kafka_server: Kafka, memory_folder: Path) -> Iterator[Scene]:
    open_ledger(memory_folder / "ledger.sqlite").close()
    with open_scene(memory_folder, kafka_server) as made:
        yield made


def cut(scene: Scene, server: Kafka, away_s: float, *planted: str) -> bool:
    """The broker is killed while questions are answered, and comes back with its data. Whether all were posted."""
    scene.ask(40)
    worker = scene.worker(0.1, *planted)
    assert scene.until(lambda: scene.begun() >= 8, 20)
    server.stop(kill=True)
    try:
        time.sleep(away_s)
    finally:
        server.start()
    scene.ask(10)
    done = scene.all_posted(40)
    if done:
        scene.end(worker)
    return done


@pytest.mark.slow
def test_a_broker_killed_and_back_costs_no_question(scene: Scene, kafka_server: Kafka, figures: Figures) -> None:
    assert cut(scene, kafka_server, 3)
    found = scene.outcome()
    figures("the broker killed while questions are answered, and back", f"3 s, {found['asked']} questions",
            f"{found['lost']} lost, {found['double']} double, {found['dead']} dead")
    assert scene.sound()
    assert any("waiting" in line for line in scene.lines("worker0.log"))


@pytest.mark.slow
def test_the_harness_sees_an_outage_that_drains_to_the_dead_topic(scene: Scene, kafka_server: Kafka) -> None:
    assert cut(scene, kafka_server, 3, "drains")
    assert scene.outcome()["dead"]


def members(scene: Scene, seconds: float, kills: Sequence[bool], *planted: str) -> list[float]:
    """Workers join, leave and die while one stays; each question takes `seconds`. How long those took that left."""
    stays, ended = scene.worker(seconds, *planted), []
    for number, kill in enumerate(kills):
        scene.ask(8)
        other, name = scene.worker(seconds, *planted), f"worker{number + 1}"
        scene.ask_until(lambda name=name: scene.begun(name) >= 3)       # type: ignore[misc]
        took = scene.end(other, kill=kill)
        if not kill:
            ended.append(took)
    scene.all_posted(10 if planted else 60)
    ended.append(scene.end(stays))
    return ended


@pytest.mark.slow
def test_members_come_go_and_die_while_work_lasts_three_poll_intervals(scene: Scene) -> None:
    ended = members(scene, 3.0, [False, True])
    assert scene.sound()
    assert max(ended) < DRAIN_S
    print(f"SIGTERM: {[round(one, 1) for one in ended]} s")


@pytest.mark.slow
def test_the_harness_sees_a_commit_before_the_answer(scene: Scene) -> None:
    members(scene, 3.0, [True], "early")
    assert scene.outcome()["lost"]


@pytest.mark.slow
def test_a_static_member_comes_back_to_its_partitions(scene: Scene) -> None:
    scene.ask(10)
    worker = scene.worker(0.1, "static")
    assert scene.all_posted(30)
    scene.end(worker, kill=True)
    scene.ask(10)
    scene.workers.pop()                 # the next one gets its name
    scene.worker(0.1, "static")
    assert scene.all_posted(30) and scene.sound()


@pytest.mark.soak
def test_forty_members_come_go_and_die(scene: Scene, figures: Figures) -> None:
    ended = members(scene, 3.0, [False, True] * 20)
    found = scene.outcome()
    figures("members join, leave and die while a question takes three poll intervals",
            f"{len(ended)} SIGTERMs, 20 SIGKILLs, {found['asked']} questions",
            f"{found['lost']} lost, {found['double']} double, {found['dead']} dead; longest drain {max(ended):.1f} s")
    assert scene.sound() and max(ended) < DRAIN_S
