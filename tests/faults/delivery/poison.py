"""A worker and a sender among poison, and while machines are away: what was sent, and what became of it.

`judge` says what is wrong with a run; nothing if all is as promised.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from http_scene.callback_receiver import SECRET, CallbackReceiver
from machines.board import Result

from bots.callback.surface import HttpCallback
from consumers.monitoring.telemetry import Telemetry
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.errors import IndexDown, Unavailable
from vouch.messages import DeadLetter, QuestionAsked, TagsAudience, encode

PATIENCE_S = 2.0                        # what is healthy takes a hundredth, on a busy machine some tenths
FAST = Backoff(0.02, 0.1)
LARGE = 5_000_000

# What each kind of poison must be called on the dead topic, after how many attempts, and whether somebody is told.
KINDS = {
    "json": ("BadMessage", 1, False),
    "version": ("BadMessage", 1, False),
    "large": ("BadMessage", 1, False),
    "nowhere": ("BadMessage", 1, False),
    "crash": ("ValueError", 5, True),
    "hang": ("TimeoutError", 1, True),
}


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Answering:
    """Takes a little time; crashes or hangs where the id says so; `down` is the index."""

    down: threading.Event = field(default_factory=threading.Event)
    forever: threading.Event = field(default_factory=threading.Event)

    def answer(self, question: QuestionAsked) -> Result:
        if self.down.is_set():
            raise IndexDown("the index is away")
        if question.id.startswith("crash"):
            raise ValueError("this question breaks the code")
        if question.id.startswith("hang"):
            self.forever.wait(60)
        time.sleep(0.01)
        return Result({"id": f"answer-{question.id}", "answer": "so"})

    def decline(self, question: QuestionAsked, reason: str) -> dict[str, Any]:
        return {"id": f"decline-{question.id}", "reason": reason}


@dataclass
class Company:
    """Log, ledger, receiver, and a worker with its sender beside them."""

    log: EmbeddedLog | KafkaLog
    ledger: Ledger
    receiver: CallbackReceiver
    stranger: Callable[[bytes, bytes], object]      # puts on the log what vouch itself would not
    answering: Answering = field(default_factory=Answering)
    telemetry: Telemetry = field(default_factory=Telemetry)
    sent: dict[str, float] = field(default_factory=dict)    # healthy questions: when they were put on the log

    def __post_init__(self) -> None:
        self.producer = self.log.producer()
        self.stop = threading.Event()
        self.surface = HttpCallback(self.receiver.url, SECRET, ["127.0.0.1"], timeout_s=2)

    def ask(self, name: str, *, surface: str = "there", text: str = "Who?") -> bytes:
        question = QuestionAsked(
            id=name, text=text, surface=surface, asker="public", audience=TagsAudience(tags=("public",)), asked_at=now()
        )
        return encode(question)

    def send_healthy(self, name: str) -> None:
        self.sent[name] = time.monotonic()
        self.producer.send("questions", name.encode(), self.ask(name))

    def send_poison(self, kind: str, number: int) -> None:
        name = f"{kind}-{number}"
        value = self.ask(name, surface="nowhere" if kind == "nowhere" else "there")
        if kind == "json":
            value = value[:-9]
        elif kind == "version":
            value = json.dumps(json.loads(value) | {"schema": 99}).encode()
        elif kind == "large":
            value = json.dumps(json.loads(value) | {"text": "x" * LARGE}).encode()
        self.stranger(name.encode(), value)

    def worker(self, **changes: Any) -> Worker:
        handler = changes.pop("handler", None) or QuestionHandler(
            self.answering.answer, self.answering.decline, self.ledger, now, served=["there"]
        )
        settings: dict[str, Any] = {"backoff": FAST, "patience_s": PATIENCE_S, "telemetry": self.telemetry} | changes
        attempts = settings.pop("attempts", self.ledger.attempts)
        return Worker(self.log, "g", {"questions": handler}, attempts, now, self.stop, **settings)

    def sender(self, **changes: Any) -> ReplySender:
        return ReplySender(
            self.ledger, lambda audience, chunks: True, self.answering.answer, self.answering.decline,
            {"there": changes.pop("surface", self.surface)}, self.producer, now, backoff=FAST, telemetry=self.telemetry,
            **changes,
        )  # fmt: skip

    @contextmanager
    def at_work(self, worker: Worker, sender: ReplySender) -> Iterator[None]:
        threads = [threading.Thread(target=worker.run), threading.Thread(target=sender.run, args=(self.stop,))]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            self.answering.forever.set()
            for thread in threads:
                thread.join()

    def wait(self, done: Callable[[], bool], most_s: float) -> bool:
        """A server that has just come back may not tell yet."""
        until = time.monotonic() + most_s
        while time.monotonic() < until:
            with suppress(Unavailable):
                if done():
                    return True
            time.sleep(0.01)
        return False

    def settled(self) -> bool:
        """Nothing is left to read, and nothing to send."""
        waits = self.ledger.outbox.counts().keys() & {"pending", "sending", "posting"}
        return not waits and self.log.lag("g", "questions") == 0

    def dead(self) -> dict[str, tuple[str, int]]:
        letters = {r.key.decode(): DeadLetter.read(r.headers) for r in self.log.read("questions.dead")}
        return {name: (letter.error, letter.attempts) for name, letter in letters.items()}


def judge(found: Company, poison: set[str]) -> list[str]:
    """What is wrong: with the dead topic, with who was answered and how often, with what is left."""
    wanted = {name: KINDS[name.rpartition("-")[0]][:2] for name in poison}
    dead, wrong = found.dead(), []
    wrong += [f"{name} is not on the dead topic" for name in sorted(wanted.keys() - dead.keys())]
    wrong += [f"{name} is on the dead topic" for name in sorted(dead.keys() - wanted.keys())]
    wrong += [f"{name} is dead as {dead[name]}, not as {wanted[name]}"
              for name in sorted(wanted.keys() & dead.keys()) if dead[name] != wanted[name]]
    posts = Counter(post["answer"]["id"] for post in found.receiver.posts)
    told = {f"decline-{name}" for name in poison if KINDS[name.rpartition("-")[0]][2]}
    due = {f"answer-{name}" for name in found.sent} | told
    wrong += [f"{name} came {posts[name]} times" for name in sorted(due | posts.keys())
              if posts[name] != (1 if name in due else 0)]
    if len(list(found.log.read("questions.dead"))) != len(dead):
        wrong.append("something lies on the dead topic twice")
    if not found.settled():
        wrong.append(f"left: {found.ledger.outbox.counts()}, lag {found.log.lag('g', 'questions')}")
    return wrong + found.receiver.complaints
