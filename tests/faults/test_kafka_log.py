"""Workers on a real Kafka: brokers killed, members that come, go and die, work longer than the poll interval."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kafka_log import fresh_log
from services.kafka import Kafka
from soak_table import Figures

from vouch.adapters.ledger import open_ledger
from vouch.adapters.log_kafka import KafkaLog
from vouch.messages import QuestionAsked, TagsAudience, encode, key_of

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("kafka_worker.py")
DRAIN_S = 30.0


@dataclass
class Scene:
    """A log, a ledger and workers. `asked` are the ids of the questions put on the log."""

    folder: Path
    log: KafkaLog
    asked: list[str] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def ask(self, count: int) -> None:
        producer = self.log.producer()
        for _ in range(count):
            question = QuestionAsked(
                id=f"q{len(self.asked):05}", text="Who?", surface="board", asker="public",
                audience=TagsAudience(tags=("public",)), asked_at=datetime.now(UTC),
            )
            producer.send("questions", key_of(question), encode(question))
            self.asked.append(question.id)
        producer.close()

    def ask_until(self, reached: Callable[[], bool]) -> None:
        """A few more, again and again: with a new member partitions move only after some heartbeats."""
        end = time.monotonic() + 30
        while not reached():
            assert time.monotonic() < end
            self.ask(1)
            time.sleep(0.3)

    def worker(self, seconds: float, *planted: str) -> subprocess.Popen[bytes]:
        place = self.log.place
        name = f"worker{len(self.workers)}"
        words = [str(self.folder), place.servers, place.topic_prefix, str(seconds), name, *planted]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"}
        self.workers.append(subprocess.Popen([sys.executable, str(SCRIPT), *words], env=environment))
        return self.workers[-1]

    def lines(self, name: str) -> list[str]:
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def begun(self, name: str = "") -> int:
        return sum(line.endswith(name) for line in self.lines("begun"))

    def posted(self) -> Counter[str]:
        return Counter(line.split()[0] for line in self.lines("board"))

    def until(self, reached: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def all_posted(self, seconds: float) -> bool:
        return self.until(lambda: self.posted().keys() >= set(self.asked), seconds)

    def end(self, worker: subprocess.Popen[bytes], *, kill: bool = False) -> float:
        """How long it took to end."""
        began = time.monotonic()
        worker.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        code = worker.wait(DRAIN_S)
        assert code == (-signal.SIGKILL if kill else 0)
        return time.monotonic() - began

    def outcome(self) -> dict[str, int]:
        posted = self.posted()
        return {
            "asked": len(self.asked), "lost": len(set(self.asked) - posted.keys()),
            "double": sum(times > 1 for times in posted.values()), "begun": self.begun(),
            "dead": sum(1 for _ in self.log.read("questions.dead")), "lag": self.log.lag("g", "questions"),
        }  # fmt: skip

    def sound(self) -> bool:
        found = self.outcome()
        print(found)
        return (found["lost"], found["double"], found["dead"], found["lag"]) == (0, 0, 0, 0)


@pytest.fixture
def scene(kafka_server: Kafka, memory_folder: Path) -> Iterator[Scene]:
    open_ledger(memory_folder / "ledger.sqlite").close()
    made = Scene(memory_folder, fresh_log(kafka_server, timeout_seconds=5.0))
    yield made
    for worker in made.workers:
        worker.kill()
        worker.wait()
    made.log.close()


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
