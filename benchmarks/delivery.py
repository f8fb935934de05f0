"""Questions through Kafka with nothing to answer: how many a second, and how long from asking to the reply.

The broker is the one of VOUCH_LOG__SERVERS; topics are made for the run and deleted after it. A reply is a post on a
surface that is a file, and its time is taken there. The same load goes through a bare loop over kafka-python, which
reads a message, sends a reply that is acknowledged, and commits. At a fixed rate a reply's time counts from the moment
the question should have been sent, whether it was sent then or later.
"""

import argparse
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from report import Report, p50, p95

from consumers.questions import QuestionHandler
from consumers.replies import ReplySender
from consumers.worker import Worker, stop_on_signals
from vouch.adapters.ledger import open_ledger
from vouch.adapters.log_kafka import KafkaLog
from vouch.adapters.log_kafka_place import KafkaPlace
from vouch.adapters.log_kafka_topics import NAMES, KafkaTopics
from vouch.messages import QuestionAsked, encode, key_of

DAY_MS = 86_400_000


@dataclass(frozen=True)
class Scene:
    folder: Path
    place: KafkaPlace

    def post(self, name: str) -> None:
        board = os.open(self.folder / "board", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(board, f"{name} {time.time()}\n".encode())
        os.close(board)

    def posted(self) -> dict[str, float]:
        board = self.folder / "board"
        lines = board.read_text().splitlines() if board.exists() else []
        return {name: float(at) for name, at in map(str.split, lines)}


def now() -> datetime:
    return datetime.now(UTC)


def ours(scene: Scene) -> None:
    """A worker and a sender, as in a process of vouch, with an answer that costs nothing."""
    surface = SimpleNamespace(after_doubt="ask", has=lambda delivery: False,
                              post=lambda delivery: scene.post(delivery.question_id))
    ledger, log, stop = open_ledger(scene.folder / "ledger.sqlite"), KafkaLog(scene.place), threading.Event()
    stop_on_signals(stop)

    def answer(question: QuestionAsked) -> Any:
        made = {"id": uuid.uuid4().hex, "question_id": question.id}
        return SimpleNamespace(answer=made, given=[], candidates=[])

    def decline(question: QuestionAsked, reason: str) -> dict[str, Any]:
        return {"id": uuid.uuid4().hex, "reason": reason}

    surfaces: dict[str, Any] = {"board": surface}
    sender = ReplySender(ledger, lambda audience, chunks: True, answer, decline, surfaces, log.producer(), now)
    sending = threading.Thread(target=sender.run, args=(stop,))
    sending.start()
    Worker(log, "g", {"questions": QuestionHandler(answer, decline, ledger, now)}, ledger.attempts, now, stop).run()
    sending.join()


def bare(scene: Scene) -> None:
    """The least that reads every message, replies to it and commits."""
    stop = threading.Event()
    stop_on_signals(stop)
    place, options = scene.place, scene.place.options()
    producer = KafkaProducer(**options, acks="all")
    consumer = KafkaConsumer(place.topic("questions"), **options, group_id=place.group("bare"), max_poll_records=1,
                             enable_auto_commit=False, auto_offset_reset="earliest")
    while not stop.is_set():
        for records in consumer.poll(timeout_ms=5000).values():     # in shorter ones 3.0.12 may forget that it joins
            for record in records:
                producer.send(place.topic("answers"), key=record.key, value=b"reply").get(timeout=10)
                scene.post(record.key.decode())
                where = TopicPartition(record.topic, record.partition)
                consumer.commit({where: OffsetAndMetadata(record.offset + 1, "", -1)})
    consumer.close()
    producer.close()


def ask(scene: Scene, count: int, rate: float | None) -> dict[str, float]:
    """When each question should have been sent; as fast as it goes without a `rate`."""
    intended: dict[str, float] = {}
    with closing(KafkaLog(scene.place).producer()) as producer:
        producer.send("feedback", b"", b"")             # connected, before the clock runs
        began = time.time()
        for number in range(count):
            due = began + number / rate if rate else time.time()
            time.sleep(max(0.0, due - time.time()))
            question = QuestionAsked.model_validate({
                "id": f"q{number:06}", "text": "Who?", "surface": "board", "asker": "public",
                "audience": {"tags": ["public"]}, "asked_at": now(),
            })
            producer.send("questions", key_of(question), encode(question))
            intended[question.id] = due
    return intended


def run(work: Callable[[Scene], None], servers: str, workers: int, count: int, rate: float | None) -> list[float]:
    """The replies' times in order, since the first one without a `rate`, else since their questions were due."""
    place = KafkaPlace(servers, topic_prefix=f"bench-{uuid.uuid4().hex[:8]}-", partitions=8)
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(Path(name), place)
        open_ledger(scene.folder / "ledger.sqlite").close()
        KafkaTopics(place, DAY_MS, DAY_MS).create()
        intended = ask(scene, count, None) if rate is None else {}
        crew = [spawn.Process(target=work, args=(scene,)) for _ in range(workers)]
        try:
            for member in crew:
                member.start()
            if rate is not None:
                time.sleep(15)                          # everybody has joined
                intended = ask(scene, count, rate)
            end = time.monotonic() + 240
            while scene.posted().keys() < intended.keys():
                if time.monotonic() > end:
                    raise SystemExit(f"only {len(scene.posted())} of {count} replies came")
                time.sleep(0.1)
        finally:
            for member in crew:
                os.kill(member.pid or 0, signal.SIGTERM)
                member.join(40)
            with closing(KafkaAdminClient(**place.options())) as admin:
                admin.delete_topics([place.topic(name) for name in NAMES])
        posted = scene.posted()
    first = min(posted.values())
    return sorted(at - (first if rate is None else intended[name]) for name, at in posted.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=20.0, help="questions a second, for the times")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long at that rate")
    given = parser.parse_args()
    servers = os.environ.get("VOUCH_LOG__SERVERS")
    if not servers:
        raise SystemExit("VOUCH_LOG__SERVERS names no broker; make services starts one")
    report = Report("Delivery through Kafka")
    report.table(["workers", "questions a second", "bare loop", "ratio", f"ask to reply at {given.rate:g}/s, p50",
                  "p95", "bare loop p50", "p95", "ratio of p95"])
    for workers in (1, 4):
        speed = {work: (given.questions - 1) / run(work, servers, workers, given.questions, None)[-1]
                 for work in (ours, bare)}
        times = {work: run(work, servers, workers, int(given.rate * given.seconds), given.rate)
                 for work in (ours, bare)}
        report.line(
            workers, f"{speed[ours]:.0f}", f"{speed[bare]:.0f}", f"{speed[ours] / speed[bare]:.2f}",
            *(f"{figure(times[work]) * 1000:.0f} ms" for work in (ours, bare) for figure in (p50, p95)),
            f"{p95(times[ours]) / p95(times[bare]):.1f}",
        )
    report.end()


if __name__ == "__main__":
    main()
