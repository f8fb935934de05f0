"""Run by test_random_kills.py: FOLDER QUESTIONS KILLS SEED [early|highest]. Kills a worker that holds 16 at random.

Each life of the worker is a fork that gets some more questions and ends by
SIGKILL at a random moment; the last one works the log off. Prints what the
log, the ledger and the surface hold then, as JSON. `early` commits what was
read before it is answered, `highest` what is finished whatever came before
it: the planted bugs.
"""

import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from consumers.backoff import Backoff
from consumers.in_hand import InHand
from consumers.questions import QuestionHandler
from consumers.replies import ReplySender
from consumers.worker import Worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.log_embedded import EmbeddedLog
from vouch.messages import QuestionAsked, TagsAudience, encode
from vouch.ports.log import Record

folder, count, kills, seed = Path(sys.argv[1]), *map(int, sys.argv[2:5])
planted = sys.argv[5] if len(sys.argv) > 5 else ""
HOLD, LEASE_S = 16, 0.3


def log() -> EmbeddedLog:
    return EmbeddedLog(folder / "log.sqlite", lease_seconds=LEASE_S)


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Result:
    answer: dict[str, Any]
    given: list[str]
    candidates: list[dict[str, Any]]


def answer(question: QuestionAsked) -> Result:
    """Every fourth question takes ten times as long as those after it; longer still to give a planted bug time."""
    slow = 0.6 if planted else 0.2
    time.sleep(slow if int(question.id[1:]) % 4 == 0 else 0.02)
    return Result({"id": os.urandom(8).hex(), "question_id": question.id}, [], [])


def decline(question: QuestionAsked, reason: str) -> dict[str, Any]:
    return {"id": os.urandom(8).hex(), "reason": reason}


class Board:
    """A surface in a file, where every post that ever arrived stays to be counted."""

    after_doubt = "ask"

    def __init__(self, file: Path) -> None:
        self._lines = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._file = file

    def has(self, delivery: Any) -> bool:
        return delivery.question_id in self._file.read_text()

    def post(self, delivery: Any) -> None:
        os.write(self._lines, f"{delivery.question_id} {delivery.answer['id']}\n".encode())


class Early(Worker):
    def _read(self, timeout_s: float) -> bool:
        self._consumer = self._consumer or self._log.consumer(self._group, self._topics)
        record = self._consumer.poll(timeout_s)
        return record is not None and self._hand.take(record) and self._consumer.commit(record)


class Highest(InHand):
    def finish(self, record: Record) -> Record | None:
        super().finish(record)
        return record


def work(drain: bool) -> None:
    ledger, stop = open_ledger(folder / "ledger.sqlite"), threading.Event()
    handler = QuestionHandler(answer, decline, ledger, now)
    kind = Early if planted == "early" else Worker
    worker = kind(log(), "g", {"questions": handler}, ledger.attempts, now, stop, hold=HOLD)
    if planted == "highest":
        worker._hand = Highest()
    sender = ReplySender(
        ledger, lambda audience, chunks: True, answer, decline, {"board": Board(folder / "board")}, log().producer(),
        now, backoff=Backoff(0.01, 0.05), lease=timedelta(seconds=1),
    )  # fmt: skip
    sending = threading.Thread(target=sender.run, args=(stop,))
    sending.start()
    worker.run(drain=drain)
    while ledger.outbox.counts().keys() - {"sent", "failed"}:
        time.sleep(0.05)
    stop.set()
    sending.join()


def ask(first: int, end: int) -> None:
    producer = log().producer()
    for number in range(first, end):
        question = QuestionAsked(
            id=f"q{number:05}", text="Who?", surface="board", asker="public", audience=TagsAudience(tags=("public",)),
            asked_at=now(),
        )
        producer.send("questions", question.id.encode(), encode(question))


def fork(job: Callable[[], None]) -> int:
    child = os.fork()
    if not child:
        code = 1
        try:
            job()
            code = 0
        finally:
            os._exit(code)
    return child


def finish(child: int) -> None:
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise SystemExit("a life ended by itself with an error")


def look() -> None:
    ledger = open_ledger(folder / "ledger.sqlite")
    asked = {json.loads(record.value)["id"] for record in log().read("questions")}
    answers = {one: ledger.answers.by_question(one) for one in asked}
    posts = Counter(line.split()[0] for line in (folder / "board").read_text().splitlines())
    right = {f"{one} {answer['id']}" for one, answer in answers.items() if answer}
    print(json.dumps({
        "asked": len(asked),
        "lost": sorted(asked - posts.keys()),
        "twice": sorted(one for one, times in posts.items() if times > 1),
        "posted_other_than_recorded": len(set((folder / "board").read_text().splitlines()) - right),
        "declined": sum(answer is not None and "reason" in answer for answer in answers.values()),
        "dead": len(list(log().read("questions.dead"))),
        "lag": log().lag("g", "questions"),
        "killed_in_work": killed,
    }))



chance, killed = random.Random(seed), 0
finish(fork(lambda: open_ledger(folder / "ledger.sqlite").close()))
sent = min(count, 2 * HOLD)
finish(fork(lambda: ask(0, sent)))
for life in range(kills):
    more = sent + (count - sent) // (kills - life)
    finish(fork(lambda first=sent, end=more: ask(first, end)))
    sent = more
    worker = fork(lambda: work(drain=False))
    time.sleep(LEASE_S + chance.uniform(0.1, 1.0))
    os.kill(worker, signal.SIGKILL)
    killed += os.WIFSIGNALED(os.waitpid(worker, 0)[1])
time.sleep(LEASE_S)
finish(fork(lambda: work(drain=True)))
finish(fork(look))
