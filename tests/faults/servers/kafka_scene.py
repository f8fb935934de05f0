"""A log on a real Kafka, workers that are processes of their own, and what came of the questions they were asked."""

import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from machines.kafka_log import fresh_log
from running import warm
from running.script_run import command, environment
from servers.kafka import Kafka

from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.messages import QuestionAsked, TagsAudience, encode, key_of

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
        words = command(SCRIPT, self.folder, place.servers, place.topic_prefix, seconds, name, *planted)
        self.workers.append(warm.Popen(words, env=environment()))
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


@contextmanager
def open_scene(folder: Path, server: Kafka, timeout_s: float = 5.0) -> Iterator[Scene]:
    """On a log of its own, with the ledger in `folder` or where VOUCH_LEDGER__URL says. No worker outlives it."""
    made = Scene(folder, fresh_log(server, timeout_seconds=timeout_s))
    try:
        yield made
    finally:
        for worker in made.workers:
            worker.kill()
            worker.wait()
        made.log.close()
