"""The processes that delivery.py gives its questions to: a worker of vouch, and the least one could do."""

import os
import threading
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition

from consumers.process import stop_on_signals
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.worker.worker import Worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.messages import QuestionAsked


@dataclass(frozen=True)
class Scene:
    folder: Path
    place: KafkaConnection
    ledger: str

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
    ledger, log, stop = open_ledger(scene.ledger), KafkaLog(scene.place), threading.Event()
    stop_on_signals(stop)

    def answer(question: QuestionAsked) -> Any:
        made = {"id": uuid.uuid4().hex, "question_id": question.id}
        return SimpleNamespace(answer=made, given=[], candidates=[], steps=[])

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
