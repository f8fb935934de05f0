"""A log, a ledger and the loop's place taken by a function, so that what surrounds it is all that is tested."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from machines.board import Result

from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import Message, QuestionAsked, TagsAudience, encode, key_of, topic_of

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Loop:
    """Answers with what it is told to give; counts the answers it made."""

    given: list[str] = field(default_factory=lambda: ["c1"])
    fails: list[Exception] = field(default_factory=list)
    made: int = 0

    def answer(self, question: QuestionAsked) -> Result:
        if self.fails:
            raise self.fails.pop(0)
        self.made += 1
        return Result({"id": f"{question.id}-{self.made}", "answer": "so"}, list(self.given))

    def decline(self, question: QuestionAsked, reason: str) -> dict[str, Any]:
        self.made += 1
        return {"id": f"{question.id}-{self.made}", "answer": "", "reason": reason}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def log(memory_folder: Path) -> EmbeddedLog:
    return EmbeddedLog(memory_folder / "log.sqlite")


@pytest.fixture
def fast() -> Backoff:
    return Backoff(0.001, 0.002)


@pytest.fixture
def question() -> Callable[..., QuestionAsked]:
    def asked(name: str = "q1", deadline: timedelta | None = None, surface: str = "terminal") -> QuestionAsked:
        return QuestionAsked(
            id=name, text="Who?", surface=surface, asker="public", audience=TagsAudience(tags=("public",)),
            asked_at=NOW, deadline=NOW + deadline if deadline is not None else None,
        )  # fmt: skip

    return asked


@pytest.fixture
def send(log: EmbeddedLog) -> Callable[[Message], tuple[int, int]]:
    producer = log.producer()
    return lambda message: producer.send(topic_of(message), key_of(message), encode(message))


@pytest.fixture(autouse=True)
def no_thread_outlives_its_folder(memory_folder: Path) -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("questions/"):
            thread.join(10)


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def worker(
    log: EmbeddedLog, ledger: Ledger, stop: threading.Event, clock: Any, fast: Backoff
) -> Callable[[Any], Worker]:
    return lambda handler: Worker(log, "g", {"questions": handler}, ledger.attempts, clock, stop, backoff=fast)
